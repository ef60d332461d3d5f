"""The rows in which processes die, stop or are restarted while files are read: records lost, and records twice.

A stock client reads from stock servers and from Headrace's, through the same faults. Where Headrace's drill has the
fault, its own client is a third side, which reads exactly once.
"""

import collections
import dataclasses
import json
import pathlib
import signal
import subprocess
import time

from processes import ROOT, Process, RowFailed, Side, free_address
from rows import HEADRACE, STOCK, STOCK_CLIENT, Row
from tables import verdict_at_most

WORKERS, FILES, RECORDS_PER_FILE = 2, 40, 250
READ_SECONDS, FAULT_SECONDS, STOPPED_SECONDS = 11, 1, 15
DRILLS = {"worker killed": "worker-kill", "dispatcher killed": "dispatcher-restart"}
READER_KILLED = "reader killed"


@dataclasses.dataclass
class Service:
    """A dispatcher and its workers, and the readers of a job."""

    dispatcher: Process
    workers: list[Process]
    readers: list[Process]

    def servers(self) -> list[Process]:
        return [self.dispatcher, *self.workers]


def worker_killed(service: Service) -> None:
    kill(service.workers[0])
    time.sleep(FAULT_SECONDS)
    service.workers[0].start()


def worker_killed_for_good(service: Service) -> None:
    kill(service.workers[0])


def worker_stopped(service: Service) -> None:
    service.workers[0].child.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_SECONDS)
    service.workers[0].child.send_signal(signal.SIGCONT)


def dispatcher_killed(service: Service) -> None:
    kill(service.dispatcher)
    time.sleep(FAULT_SECONDS)
    service.dispatcher.start()


def all_killed(service: Service) -> None:
    for server in service.servers():
        kill(server)
    time.sleep(FAULT_SECONDS)
    for server in service.servers():
        server.start()


def rolling_restart(service: Service) -> None:
    """Ends each server in order, as an operator does, and starts it again before the next one."""
    for server in service.servers():
        server.child.terminate()
        server.child.wait()
        server.start()
        server.await_line("ready")


def reader_killed(service: Service) -> None:
    kill(service.readers[0])


FAULTS = {
    "worker killed": worker_killed,
    "worker killed for good": worker_killed_for_good,
    "worker stopped": worker_stopped,
    "dispatcher killed": dispatcher_killed,
    "all servers killed": all_killed,
    "rolling restart": rolling_restart,
    READER_KILLED: reader_killed,
}


@dataclasses.dataclass
class Losses:
    """The records of one run that its readers did not get, or got twice, and how many readers never came to the end."""

    lost: int
    twice: int
    hung: int = 0


def kill(process: Process) -> None:
    process.child.kill()
    process.child.wait()


def measure(bench, row: Row) -> list[Side]:
    """The sides by turns, equally often."""
    launchers = {STOCK: stock_servers}
    if STOCK_CLIENT in bench.sides:
        launchers[STOCK_CLIENT] = headrace_servers
    runs: dict[str, list[Losses]] = {name: [] for name in launchers}
    for _ in range(bench.runs):
        for name, launch in launchers.items():
            runs[name].append(run(bench, row, launch))
    if HEADRACE in bench.sides and row.pipeline == "lines" and row.readers == 1 and row.fault in DRILLS:
        runs[HEADRACE] = drill(bench, row)
    return [side(name, of, row.targets.get(name)) for name, of in runs.items()]


def side(name: str, runs: list[Losses], limit: float | None) -> Side:
    """Its sums over all runs. The limit is of the records lost in any one run, of which none may come twice."""
    lost, twice, hung = (sum(getattr(one, what) for one in runs) for what in ("lost", "twice", "hung"))
    worst = max(one.lost for one in runs)
    verdict = verdict_at_most(worst if twice + hung == 0 else float("inf"), limit)
    shown = f"{lost:,} lost" + (f", {worst:,} at most" if len(runs) > 1 else "") + (f", {hung} hung" if hung else "")
    return Side(name, None, figures=[shown, f"{twice:,} twice", "", *verdict])


def stock_servers(bench, row: Row, address: str) -> tuple[Process, list[Process]]:
    dispatcher = bench.stock_dispatcher(address, row)
    return dispatcher, [bench.stock_worker(address, port()) for _ in range(WORKERS)]


def headrace_servers(bench, row: Row, address: str) -> tuple[Process, list[Process]]:
    dispatcher = bench.headrace_dispatcher(address, row)
    return dispatcher, [bench.headrace_worker(address, port()) for _ in range(WORKERS)]


def port() -> str:
    return free_address().rpartition(":")[2]


def run(bench, row: Row, launch) -> Losses:
    address = free_address()
    dispatcher, workers = launch(bench, row, address)
    for server in (dispatcher, *workers):
        server.await_line("ready")
    folder = bench.work_dir("records")
    files = write_records(folder)
    # A reader that dies leaves the job to another one.
    count = row.readers + (row.fault == READER_KILLED)
    outputs = [folder / f"read-{reader}" for reader in range(count)]
    readers = [start_reader(bench, row, address, count, output, files) for output in outputs]
    readers[0].await_line("middle")
    FAULTS[row.fault](Service(dispatcher, workers, readers))
    hung = 0
    for reader in readers[1:] if row.fault == READER_KILLED else readers:
        hung += reader.await_line("end") == ["hung"]
    bench.close_all()
    return count_records(row, outputs, hung)


def start_reader(
    bench, row: Row, address: str, count: int, output: pathlib.Path, files: list[pathlib.Path]
) -> Process:
    script = pathlib.Path(__file__).with_name("stock_records.py")
    # Readers of one job have its elements in common.
    interval = READ_SECONDS * count / (FILES * RECORDS_PER_FILE)
    middle = int(0.4 * len(expected_records(row)) / count)
    job = "shared" if count > 1 else ""
    arguments = (f"grpc://{address}", interval, middle, output, row.pipeline, job)
    return bench.launch(f"reader-{output.name}", bench.python, script, *arguments, *files)


def write_records(folder: pathlib.Path) -> list[pathlib.Path]:
    files = []
    for file in range(FILES):
        first = file * RECORDS_PER_FILE
        path = folder / f"part-{file:05}.txt"
        path.write_text("".join(f"{record}\n" for record in range(first, first + RECORDS_PER_FILE)))
        files.append(path)
    return files


def expected_records(row: Row) -> set[int]:
    records = range(FILES * RECORDS_PER_FILE)
    return {record for record in records if row.pipeline != "filter" or record % 2 == 0}


def count_records(row: Row, outputs: list[pathlib.Path], hung: int) -> Losses:
    counts: collections.Counter[int] = collections.Counter()
    for output in outputs:
        # The last line of a killed reader may be torn.
        counts.update(int(line) for line in output.read_text().splitlines(keepends=True) if line.endswith("\n"))
    expected = expected_records(row)
    if unexpected := counts.keys() - expected:
        raise RowFailed(f"records that are not in the files: {sorted(unexpected)[:5]}")
    return Losses(len(expected) - len(counts), counts.total() - len(counts), hung)


def drill(bench, row: Row) -> list[Losses]:
    command = [
        *(ROOT / "headrace", "drill", DRILLS[row.fault], "--json", f"--runs={bench.runs}"),
        *(f"--workers={WORKERS}", f"--files={FILES}", f"--records-per-file={RECORDS_PER_FILE}"),
        *(f"--element-bytes={row.size}", f"--read-seconds={READ_SECONDS}", f"--fault-seconds={FAULT_SECONDS}"),
    ]
    # The status is 1 where a run broke its guarantee; the report contains that, too.
    with (bench.logs / "drill.log").open("ab") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        return [Losses(run["lost"], run["duplicated"]) for run in json.loads(done.stdout)["runs"]]
    except (ValueError, KeyError) as e:
        raise RowFailed(f"the drill ended with {done.returncode}: {done.stdout[-2000:]}") from e
