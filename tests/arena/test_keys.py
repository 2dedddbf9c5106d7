"""Keys, ids and tokens: nobody is given what somebody else was given."""

from random import Random

from calza.arena.keys import BLOCK, Drawn, hash_of, new_id, new_key


def test_no_random_byte_is_given_twice() -> None:
    drawn, chance = Drawn(), Random(1)
    sizes = [chance.choice((1, 8, 16, 20, 32, 33)) for _ in range(1000)] + [BLOCK - 1, 2, BLOCK, 3 * BLOCK, 16]
    given = [drawn(size) for size in sizes]
    assert list(map(len, given)) == sizes
    whole = b"".join(given)
    windows = {whole[at : at + 8] for at in range(len(whole) - 7)}
    assert len(windows) == len(whole) - 7, "that any two are alike by chance happens once in ten billion runs"


def test_two_who_draw_are_given_different_bytes() -> None:
    first, second = Drawn(), Drawn()
    assert not {first(16) for _ in range(500)} & {second(16) for _ in range(500)}


def test_keys_and_ids_that_are_drawn_are_whole() -> None:
    drawn = Drawn()
    keys = [new_key(drawn) for _ in range(300)]
    assert len({hash_of(key) for key in keys} - {None}) == 300
    assert {len(new_id(drawn)) for _ in range(300)} == {20}
