"""The rows in which a process is killed: records lost, and the start-up time of a dispatcher after many splits.

Headrace's side of the first is its own drill, which runs without stock TensorFlow.
"""

import json
import pathlib
import statistics
import subprocess
import time

from processes import ROOT, RowFailed, Side, free_address
from rows import HEADRACE, STOCK, Row
from tables import verdict_at_most

WORKERS, FILES, RECORDS_PER_FILE = 2, 40, 250
READ_SECONDS, FAULT_SECONDS = 8, 1
DRILLS = {"worker": "worker-kill", "dispatcher": "dispatcher-restart"}
CALLERS = 16
STARTS = 5


def measure(bench, row: Row) -> list:
    return measure_losses(bench, row) if row.killed else measure_recovery(bench, row)


def measure_losses(bench, row: Row) -> list:
    """Runs stock servers with a stock client, and Headrace's, equally often."""
    sides = []
    for name, runs in ((STOCK, [kill_stock(bench, row) for _ in range(bench.runs)]), (HEADRACE, drill(bench, row))):
        lost, twice = sum(run[0] for run in runs), sum(run[1] for run in runs)
        figures = [f"{lost:,} lost", f"{twice:,} twice", "", *verdict_at_most(lost + twice, row.targets.get(name))]
        sides.append(Side(name, None, figures=figures))
    return sides


def drill(bench, row: Row) -> list[tuple[int, int]]:
    """The records lost and the records repeated, for each run."""
    command = [
        *(ROOT / "headrace", "drill", DRILLS[row.killed], "--json", f"--runs={bench.runs}"),
        *(f"--workers={WORKERS}", f"--files={FILES}", f"--records-per-file={RECORDS_PER_FILE}"),
        *(f"--element-bytes={row.size}", f"--read-seconds={READ_SECONDS}", f"--fault-seconds={FAULT_SECONDS}"),
    ]
    # The status is 1 where a run broke its guarantee; the report contains that, too.
    with (bench.logs / "drill.log").open("ab") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        return [(run["lost"], run["duplicated"]) for run in json.loads(done.stdout)["runs"]]
    except (ValueError, KeyError) as e:
        raise RowFailed(f"the drill ended with {done.returncode}: {done.stdout[-2000:]}") from e


def kill_stock(bench, row: Row) -> tuple[int, int]:
    address = free_address()
    dispatcher = bench.stock_dispatcher(address, row)
    dispatcher.await_line("ready")
    workers = [bench.stock_worker(address, free_address().rpartition(":")[2]) for _ in range(WORKERS)]
    for worker in workers:
        worker.await_line("ready")
    script = pathlib.Path(__file__).with_name("stock_records.py")
    files = write_records(bench.work_dir("records"))
    reader = bench.launch("stock-reader", bench.python, script, f"grpc://{address}", READ_SECONDS, *files)
    reader.await_line("middle")
    victim = dispatcher if row.killed == "dispatcher" else workers[0]
    victim.child.kill()
    victim.child.wait()
    time.sleep(FAULT_SECONDS)
    victim.start()
    lost, twice = reader.await_line("records")
    bench.close_all()
    return int(lost), int(twice)


def write_records(folder: pathlib.Path) -> list[pathlib.Path]:
    files = []
    for file in range(FILES):
        first = file * RECORDS_PER_FILE
        path = folder / f"part-{file:05}.txt"
        path.write_text("".join(f"{record}\n" for record in range(first, first + RECORDS_PER_FILE)))
        files.append(path)
    return files


def measure_recovery(bench, row: Row) -> list:
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
