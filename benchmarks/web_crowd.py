"""`python -m benchmarks.web_crowd PORT MATCH MANY`: spectators in a process of their own, who hear of everything."""

import asyncio
import sys

import uvloop

from .arena_bots import Socket


async def watch(port: int, match: str, many: int) -> None:
    """Say when all have come, and hear until the match is over."""
    lines = [await Socket.dial(port, f"/ws/table/{match}") for _ in range(many)]
    for line in lines:
        await line.hear()
    print(many, flush=True)
    await asyncio.gather(*(listen(line) for line in lines))


async def listen(line: Socket) -> None:
    """Hear everything."""
    while await line.hear() is not None:
        pass


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(watch(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
