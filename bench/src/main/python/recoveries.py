"""The row of a dispatcher that was killed after many splits: the time of its next start."""

import pathlib
import statistics
import time

from processes import Side, free_address
from rows import HEADRACE, STOCK, Row
from tables import verdict_at_most

CALLERS = 16
STARTS = 5


def measure(bench, row: Row) -> list:
    """The additional start-up time of a dispatcher after many splits over one on an empty work_dir, alternately."""
    words = headrace_words(bench, row)
    sides = []
    for name, dispatcher in ((STOCK, bench.stock_dispatcher), (HEADRACE, bench.headrace_dispatcher)):
        work_dir = take_splits(bench, row, name, dispatcher, words)
        size = sum(path.stat().st_size for path in work_dir.rglob("*") if path.is_file())
        empty, full = [], []
        for _ in range(STARTS):
            empty.append(start_seconds(bench, row, dispatcher, bench.work_dir("empty")))
            full.append(start_seconds(bench, row, dispatcher, work_dir))
        more = statistics.median(full) - statistics.median(empty)
        figures = ["", f"{more:,.2f} s more", f"{size / 1e6:,.1f}", *verdict_at_most(more, row.targets.get(name))]
        sides.append(Side(name, None, figures=figures))
    return sides


def headrace_words(bench, row: Row) -> list[str]:
    """The command line of a server, for the JVM and the class path of the Java callers."""
    server = bench.headrace_dispatcher(free_address(), row)
    server.await_line("ready")
    words = server.command_line()
    bench.close_all()
    return words


def take_splits(bench, row: Row, name: str, dispatcher, words: list[str]) -> pathlib.Path:
    """The work_dir of a dispatcher that was killed after the row's number of splits."""
    address = free_address()
    work_dir = bench.work_dir(name)
    server = dispatcher(address, row, work_dir)
    server.await_line("ready")
    callers = bench.java_client(words, "io.headrace.bench.SplitCallers", f"grpc://{address}", CALLERS)
    callers.await_line("ready")
    taken = 0
    while taken < row.recovered_splits:
        taken += int(callers.ask("read 1")[0])
    server.child.kill()
    bench.close_all()
    return work_dir


def start_seconds(bench, row: Row, dispatcher, work_dir: pathlib.Path) -> float:
    started = time.monotonic()
    server = dispatcher(free_address(), row, work_dir)
    server.await_line("ready")
    took = time.monotonic() - started
    server.child.kill()
    bench.close_all()
    return took
