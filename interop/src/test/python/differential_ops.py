"""Compares random calls of ops with stock TensorFlow: differential_ops.py FIRST END [OP...]

DifferentialOpsTest runs it. Call number n belongs to the pair of an op and a dtype of its main attr that has the
greatest hash with n, and is made from the recorded call of the op that has the greatest hash with n (mutations.py). So
a number is the same call each time, and a new op, dtype or recorded call takes some numbers and leaves the others as
they were. The calls recorded in families/differential.py, which come from here, are not among them. Every row is
compared alone and with the others as columns. A difference is shrunk and printed as an oracle case; add it to
kernels/src/test/oracle/families/differential.py.
"""

import hashlib
import os
import random
import resource
import sys

import engine  # before anything prints
import calls
import numpy as np
from bounds import Bounds
from calls import Call, Recorded, Unfit
from known import known
from mutations import INDEX_TYPES, Mutation
from shrinking import shrink
from tensorflow.python.framework import kernels
from values import SMALL

SEED = 15


def main() -> None:
    first, end = int(sys.argv[1]), int(sys.argv[2])
    only = sys.argv[3:]
    resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
    np.seterr(all="ignore")
    recorded = Recorded()
    ours = engine.ops()
    bounds = Bounds(recorded.tolerances)
    pairs = [pair for pair in pairs_of(recorded, ours) if not only or pair[0] in only]
    for op in set(ours) - {pair[0] for pair in pairs}:
        engine.name("ops not called", op)
    places = np.array([place(f"{SEED} {op} {dtype}") for op, _, dtype in pairs], np.uint64)
    reported = set()
    for number in range(first, end):
        op, main_attr, dtype = pairs[np.argmax(mixed(places ^ np.uint64(place(f"{SEED} {number}"))))]
        seed = f"{SEED} {op} {dtype} {number}"
        engine.begin(number, f"call {number}: {op}")
        base = choose(seed, recorded.calls[op], dtype, main_attr)
        call = Mutation(base, main_attr, dtype, ours[op][1], seed).call()
        result = compare(call, bounds)
        engine.outcome(result.kind)
        if result.kind != "unfit":
            engine.name("ops", op)
            engine.name("dtypes of ops", f"{op} {dtype}")
        if result.kind == "different":
            report(call, result, bounds, number, reported)
    engine.end()
    os._exit(0)


def pairs_of(recorded: Recorded, ours: dict) -> list[tuple[str, str, int]]:
    """Each op without effects, its main attr and one of the attr's dtypes; ("op", "", 0) without such an attr."""
    pairs = []
    for op in sorted(recorded.calls):
        free, types = ours.get(op, (False, {}))
        if not free and not recorded.calls[op][0].variables:
            continue
        args = [arg.type_attr for arg in recorded.calls[op][0].op_def.input_arg if arg.type_attr]
        data = [attr for attr in args if not set(types.get(attr, [])) <= INDEX_TYPES]
        if data:
            usual = [t for t in types[data[0]] if t in calls.NUMPY and calls.NUMPY[t].type not in SMALL]
            small = [t for t in types[data[0]] if t in calls.NUMPY and t not in usual and stock_takes(op, data[0], t)]
            pairs += [(op, data[0], dtype) for dtype in usual + small]
        else:
            pairs.append((op, "", 0))
    return pairs


def stock_takes(op: str, attr: str, dtype: int) -> bool:
    """Whether stock has a kernel of the dtype on CPUs."""
    for kernel in kernels.get_registered_kernels_for_op(op).kernel:
        allowed = [c.allowed_values.list.type for c in kernel.constraint if c.name == attr]
        if kernel.device_type in ("CPU", "DEFAULT") and all(dtype in types for types in allowed):
            return True
    return False


def choose(seed: str, found: list[Call], dtype: int, main_attr: str) -> Call:
    """A recorded call: often one of the dtype, whose values suit it."""
    fitting = [c for c in found if main_attr and c.dtype_of(main_attr) == dtype]
    some = fitting if fitting and random.Random(seed).random() < 0.6 else found
    return max(some, key=lambda c: place(f"{seed} {c.key}"))


def place(text: str) -> int:
    """64 bits that are another number for another text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def mixed(bits: np.ndarray) -> np.ndarray:
    """Permutes the numbers of 64 bits so that those of near ones have nothing in common."""
    for shift, factor in [(30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)]:
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


class Result:
    """An outcome: "same", "same error", "unfit", "known" or "different", with how it differs."""

    def __init__(self, kind: str, text: str = "", by_rows: bool = False):
        self.kind = kind
        self.text = text
        self.by_rows = by_rows


def compare(call: Call, bounds: Bounds) -> Result:
    try:
        node = call.node()
        stock = [calls.stock(call, row) for row in range(len(call.rows))]
    except Unfit as reason:
        return Result("unfit", str(reason))
    alone, together = engine.call(*calls.function_of(call, node))
    for row, (expected, actual) in enumerate(zip(stock, alone)):
        text = bounds.difference(call, row, expected, actual)
        if text and not known(call, row, expected, actual, text):
            return Result("different", text)
    for row, actual in enumerate(together):
        text = bounds.difference(call, row, alone[row], actual)
        if text:
            return Result("different", f"by rows, row {row}: {text}", True)
    if len(together) < len(call.rows) and together[-1:] and together[-1].code == 0:
        return Result("different", f"by rows: {len(together)} rows", True)
    return Result("same error" if all(answer.code for answer in stock) else "same")


def report(call: Call, result: Result, bounds: Bounds, number: int, reported: set) -> None:
    """Shrinks the first difference of each kind of an op, and counts the others."""
    kind = (call.op, result.by_rows, result.text.split(":")[0])
    if kind in reported:
        engine.outcome("different again")
        return
    reported.add(kind)

    def fails(candidate: Call) -> bool:
        other = compare(candidate, bounds)
        return (other.kind == "different" and other.by_rows == result.by_rows
                and other.text.split(":")[0] == result.text.split(":")[0])

    engine.suspect(described(call, result.text, number))
    small = shrink(call, fails)
    engine.failure(described(small, compare(small, bounds).text, number))


def described(call: Call, difference: str, number: int) -> str:
    """A difference, and the call as a case."""
    lines = [f"call {number}: {call.op}: {difference}", *(call.source(row) for row in range(len(call.rows)))]
    if len(call.rows) > 1:
        lines.append(f"the same in all rows: {sorted(call.captured)}")
    return "\n  ".join(lines)


if __name__ == "__main__":
    main()
