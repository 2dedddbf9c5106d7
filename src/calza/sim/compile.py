"""Making `play`, `dice` and the policies compilable: types, arrays, and a cache that notices changed rules.

numba's own cache looks only at the file of the function that is compiled, and would go on playing an old rule after
`play.py` changed. So the cache lies in a folder named after all the sources that go into a kernel.
"""

import hashlib
import os
from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numba
import numpy as np
from numba import njit, types
from numba.extending import overload, register_jitable

from calza.agents import odds, policies
from calza.rules import dice, play, state
from calza.rules.charts import Charts, draw_charts
from calza.rules.dice import BLOCK_TABLES
from calza.rules.rules import Rules

SEATS = 8
STATE = np.dtype([*((name, "i8") for name in state.SCALARS), *((name, "i8", (SEATS,)) for name in state.ARRAYS)])

# Inlined everywhere, small or not: a game then runs in registers, three times as fast as through calls.
inlined = register_jitable(forceinline=True, error_model="numpy")
for function in play.COMPILABLE:
    inlined(function)


# numba makes a float of a signed and an unsigned number together, so the mixer says which it means.
overload(dice.u64)(lambda x: lambda x: types.uint64(x))
overload(dice.i64)(lambda x: lambda x: types.int64(x))


def tuple_type(name: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    """A named tuple, which is what numba knows, with the fields of the value that it is made from."""
    return namedtuple(name, fields)


ChartArrays = tuple_type("ChartArrays", Charts.__struct_fields__)
OddsArrays = tuple_type("OddsArrays", odds.OddsChart.__struct_fields__)
DiceArrays = tuple_type("DiceArrays", ("most", "sizes", "first", "hands"))


@lru_cache(maxsize=64)
def chart_arrays(rules: Rules) -> Any:
    """The charts of `rules`; the faces stay a tuple, whose length is a constant of the compiled code."""
    charts = draw_charts(rules)
    fields = [getattr(charts, name) for name in Charts.__struct_fields__]
    return ChartArrays(*(np.array(one, np.int16) if isinstance(one, list) else one for one in fields))


@lru_cache(maxsize=64)
def odds_arrays(rules: Rules, most: int) -> Any:
    """The odds chart of `rules`."""
    chart = odds.odds_chart(rules, most)
    arrays = (np.array(chart.start, np.int64), np.array(chart.tail, np.float64))
    return OddsArrays(chart.most, chart.stride, *arrays)


@lru_cache(maxsize=32)
def dice_arrays(faces: int) -> Any:
    """The hands of a block: `hands[(first[dice] + number) * (faces + 1) + face]`."""
    table = BLOCK_TABLES[faces]
    sizes = [len(row) for row in table]
    hands = [dice for row in table for hand in row for dice in hand]
    first = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
    return DiceArrays(len(table) - 1, np.array(sizes, np.int64), first, np.array(hands, np.int8))


def sources_hash() -> str:
    """A name for everything that goes into a kernel."""
    here = Path(__file__).parent
    files = [Path(module.__file__ or "") for module in (play, dice, policies, odds, state)]
    files += [here / "kernels.py", Path(__file__), Path(play.__file__ or "").with_name("charts.py")]
    text = b"".join(file.read_bytes() for file in files) + numba.__version__.encode() + np.__version__.encode()
    return hashlib.sha256(text).hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled kernels are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "calza" / "kernels" / sources_hash()


# Kernels allocate nothing, so that arrays need no counting of references: that alone is worth a factor of six.
OPTIONS: dict[str, Any] = {"_nrt": False, "error_model": "numpy"}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled, and kept for the next start where the folder can be written."""
    config: Any = numba.config
    kept, config.CACHE_DIR = config.CACHE_DIR, str(cache_folder())
    try:
        return cast("Callable[..., Any]", njit(cache=True, **OPTIONS)(function))
    except (RuntimeError, OSError):  # a folder that cannot be written: compile anew
        return cast("Callable[..., Any]", njit(**OPTIONS)(function))
    finally:
        config.CACHE_DIR = kept
