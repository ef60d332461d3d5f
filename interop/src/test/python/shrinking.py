"""Makes a call that fails smaller while it goes on to fail in the same way."""

from dataclasses import replace

import numpy as np

from calls import Call
from mutations import arrays, each

MOST_TRIES = 120


def shrink(call: Call, fails) -> Call:
    """The smallest call found for which `fails(call)` holds."""
    tries = 0
    smaller = True
    while smaller and tries < MOST_TRIES:
        smaller = False
        for candidate in candidates(call):
            tries += 1
            if fails(candidate):
                call = candidate
                smaller = True
                break
            if tries >= MOST_TRIES:
                break
    return call


def candidates(call: Call):
    if len(call.rows) > 1:
        for row in call.rows:
            yield replace(call, rows=[copied(row)], captured=frozenset())
        if len(call.rows) > 2:
            for first in range(len(call.rows) - 1):
                yield replace(call, rows=[copied(row) for row in call.rows[first:first + 2]])
    for name in call.attrs:
        if any(a.name == name and a.HasField("default_value") for a in call.op_def.attr):
            attrs = {k: v for k, v in call.attrs.items() if k != name}
            yield replace(call, rows=[copied(row) for row in call.rows], attrs=attrs)
    for size in sorted({s for _, v in arrays(call.rows[0]) for s in v.shape if s > 1}, reverse=True):
        for other in dict.fromkeys([1, size // 2, size - 1]):
            yield with_size(call, size, other)
    for name in call.rows[0]:
        yield from simpler(call, name)
        yield from shorter(call, name)


def with_size(call: Call, size: int, other: int) -> Call:
    def cut(value: np.ndarray) -> np.ndarray:
        return value[tuple(slice(other if s == size else s) for s in value.shape)]

    return changed(call, list(call.rows[0]), cut)


def simpler(call: Call, name: str):
    """One input with fewer kinds of values."""
    for at in range(len(call.rows)):
        for _, value in arrays({name: call.rows[at][name]}):
            if value.dtype == object:
                continue
            ones = np.ones(value.shape, value.dtype)
            if value.size and not (value == ones).all():
                yield changed(call, [name], lambda v: np.ones(v.shape, v.dtype))
            if value.size > 1:
                for half in (slice(0, value.size // 2), slice(value.size // 2, None)):
                    if not (value.reshape(-1)[half] == 1).all():
                        yield changed(call, [name], lambda v, h=half: with_ones(v, h))


def shorter(call: Call, name: str):
    """The strings of one input with a part left out, first with large ones."""
    longest = max((len(s) for row in call.rows for _, v in arrays({name: row[name]}) if v.dtype == object for s in v.flat), default=0)
    size = longest // 2
    while size > 0:
        for at in range(0, longest, size):
            yield changed(call, [name], lambda v, a=at, n=size: without(v, a, n))
        size //= 4


def without(value: np.ndarray, at: int, size: int) -> np.ndarray:
    if value.dtype != object:
        return value
    result = np.empty(value.size, object)
    result[:] = [s[:at] + s[at + size:] for s in value.flat]
    return result.reshape(value.shape)


def with_ones(value: np.ndarray, part: slice) -> np.ndarray:
    result = value.reshape(-1).copy()
    result[part] = 1
    return result.reshape(value.shape)


def changed(call: Call, names: list[str], change) -> Call:
    rows = []
    for row in call.rows:
        other = copied(row)
        for name in names:
            each(other, name, change)
        rows.append(other)
    return replace(call, rows=rows)


def copied(row: dict) -> dict:
    return {name: list(value) if isinstance(value, list) else value for name, value in row.items()}
