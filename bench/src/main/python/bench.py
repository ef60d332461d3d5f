"""Measures reading through the service, Headrace's and stock TensorFlow's side by side.

Each row starts both services anew: one dispatcher, one worker and one client each, every one a separate process.
Each side is read for its first second, then until it is warm; then the sides alternate, so that other load on the
machine affects them equally.
"""

import argparse
import json
import pathlib
import shutil
import sys
import time
from collections.abc import Callable

import announcements
import losses
import observations
import preprocessing
import recoveries
from processes import ROOT, Process, RowFailed, Side, addresses, free_address
from rows import AT_MOST_ONCE, COLUMNS, EXACTLY_ONCE, GROUPS, HEADRACE, LOOPS, ROWS, STOCK, STOCK_CLIENT, Row
from tables import table

STOCK_SERVERS = ROOT / "interop/src/test/python"
ITERATIONS = 5
SETTLE_SECONDS = 10


class Bench:
    def __init__(self, python: str, sides: list[str], quick: bool, runs: int):
        self.python = python
        self.sides = sides
        self.warm_up, self.window, self.rounds = (2, 1, 1) if quick else (10, 3, 5)
        self.logs = ROOT / "bench/target/bench"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.corpus = self.logs / "corpus"
        self.runs = 1 if quick else runs
        self.processes: list[Process] = []

    def measure(self, row: Row) -> list[Side]:
        try:
            if row.fault:
                return losses.measure(self, row)
            if row.preprocessing:
                return preprocessing.measure(self, row)
            if row.announced:
                return announcements.measure(self, row)
            if row.observed:
                return observations.measure(self, row)
            if row.recovered_splits:
                return recoveries.measure(self, row)
            sides = self.start(row)
            if row.restart:
                self.restart(sides)
            elif row.iteration:
                self.iterate(sides)
            else:
                self.read(sides)
            return sides
        finally:
            self.close_all()

    def close_all(self) -> None:
        while self.processes:
            self.processes.pop().close()

    def start(self, row: Row) -> list[Side]:
        """Starts every process of the row at once: each waits for the dispatcher that it needs."""
        stock, headrace = free_address(), free_address()
        if row.callers:
            return self.start_callers(row, stock, headrace)
        if row.guarantees:
            return self.start_guarantees(row, headrace)
        if row.in_process:
            return self.start_in_process(row, stock, headrace)
        if row.graph:
            return self.start_sessions(row)
        if row.training:
            return self.start_training(row, stock, headrace)
        ready = [*self.stock_servers(stock, row)]
        sides = [Side(STOCK, self.stock_client(stock, row))]
        sides[0].restart = self.restarter(ready[0])
        if set(self.sides) - {STOCK}:
            ready += self.headrace_servers(headrace, row)
            # Registers the dataset, so that all clients read the same graph.
            sides.append(Side(STOCK_CLIENT, self.stock_client(headrace, row)))
        for process in ready + [side.client for side in sides]:
            process.await_line("ready")
        for name in (HEADRACE, COLUMNS):
            if name in self.sides and row.is_read_by(name):
                sides.append(Side(name, self.headrace_client(headrace, row, name, ready[-1])))
                sides[-1].client.await_line("ready")
        for side in sides[1:]:
            side.restart = self.restarter(ready[2])
        return sides

    def start_callers(self, row: Row, stock: str, headrace: str) -> list[Side]:
        """The same callers on both dispatchers, without workers."""
        servers = [self.stock_dispatcher(stock, row), self.headrace_dispatcher(headrace, row)]
        for server in servers:
            server.await_line("ready")
        words = servers[1].command_line()
        sides = []
        for name, address in ((STOCK, stock), (HEADRACE, headrace)):
            arguments = ("io.headrace.bench.SplitCallers", f"grpc://{address}", row.callers)
            sides.append(Side(name, self.java_client(words, *arguments)))
            sides[-1].client.await_line("ready")
        return sides

    def start_in_process(self, row: Row, stock: str, headrace: str) -> list[Side]:
        """Clients that each have a worker of their own; a stock one registers the dataset at both dispatchers."""
        servers = [self.stock_dispatcher(stock, row), self.headrace_dispatcher(headrace, row)]
        for server in servers:
            server.await_line("ready")
        sides = [Side(STOCK, self.stock_client(stock, row)), Side(STOCK_CLIENT, self.stock_client(headrace, row))]
        for side in sides:
            side.client.await_line("ready")
        for name in {HEADRACE, COLUMNS} & set(self.sides):
            arguments = ("io.headrace.bench.BenchClient", f"grpc://{headrace}", row.id, "in_process")
            way = "columns" if name == COLUMNS else "elements"
            sides.append(Side(name, self.java_client(servers[-1].command_line(), *arguments, way)))
            sides[-1].client.await_line("ready")
        return sides

    def start_guarantees(self, row: Row, headrace: str) -> list[Side]:
        """Two Headrace clients on the same servers."""
        servers = self.headrace_servers(headrace, row)
        for server in servers:
            server.await_line("ready")
        sides = []
        for guarantee in (AT_MOST_ONCE, EXACTLY_ONCE):
            arguments = ("io.headrace.bench.BenchClient", f"grpc://{headrace}", row.id, guarantee, "elements")
            sides.append(Side(guarantee, self.java_client(servers[-1].command_line(), *arguments)))
            sides[-1].client.await_line("ready")
        return sides

    def start_sessions(self, row: Row) -> list[Side]:
        """A session on a cluster of each kind, from the stock client and from Headrace's."""
        jobs = {"worker": 1, "ps": 1} if row.two_tasks else {"worker": 1}
        stock, headrace = addresses(jobs), addresses(jobs)
        tasks = self.stock_tasks(stock) + self.headrace_tasks(headrace)
        for task in tasks:
            task.await_line("ready")
        words = tasks[-1].command_line()
        script = pathlib.Path(__file__).with_name("stock_session.py")
        on_stock, on_headrace = f"grpc://{stock['worker'][0]}", f"grpc://{headrace['worker'][0]}"
        sides = [
            Side(STOCK, self.launch("stock-client", self.python, script, on_stock, row.graph)),
            Side(STOCK_CLIENT, self.launch("stock-client", self.python, script, on_headrace, row.graph)),
        ]
        if row.graph == "product":
            sides.append(Side(LOOPS, self.launch("loops-client", self.python, script, self.loops(), row.graph)))
        if HEADRACE in self.sides:
            arguments = ("io.headrace.bench.SessionSteps", on_headrace, row.graph)
            sides.append(Side(HEADRACE, self.java_client(words, *arguments)))
        for side in sides:
            side.client.await_line("ready")
        return sides

    def loops(self) -> str:
        """A server that multiplies matrices without a native library."""
        cluster = addresses({"worker": 1})
        self.headrace_tasks(cluster, "env", "HEADRACE_JAVA_OPTS=-Dheadrace.blas=loops")[0].await_line("ready")
        return f"grpc://{cluster['worker'][0]}"

    def start_training(self, row: Row, stock: str, headrace: str) -> list[Side]:
        """Stock trainers on stock servers, Headrace trainers on Headrace servers; so are the dispatchers and their
        workers."""
        jobs = {"ps": 1, "worker": 2}
        stock_cluster, headrace_cluster = addresses(jobs), addresses(jobs)
        feeders = self.stock_servers(stock, row) + self.headrace_servers(headrace, row)
        tasks = self.stock_tasks(stock_cluster) + self.headrace_tasks(headrace_cluster)
        for server in feeders + tasks:
            server.await_line("ready")
        script = pathlib.Path(__file__).with_name("stock_trainers.py")
        stock_targets = [f"grpc://{address}" for address in (stock, *stock_cluster["worker"])]
        headrace_targets = [f"grpc://{address}" for address in (headrace, *headrace_cluster["worker"])]
        arguments = ("io.headrace.bench.Trainers", self.work_dir("images"), *headrace_targets)
        sides = [
            Side(STOCK, self.launch("stock-trainers", self.python, script, *stock_targets)),
            Side(HEADRACE, self.java_client(tasks[-1].command_line(), *arguments)),
        ]
        for side in sides:
            side.client.await_line("ready")
        return sides

    def stock_tasks(self, cluster: dict[str, list[str]]) -> list[Process]:
        script = STOCK_SERVERS / "stock_task.py"
        return [
            self.launch(f"stock-{job}-{index}", self.python, script, json.dumps(cluster), job, index)
            for job, tasks in cluster.items()
            for index in range(len(tasks))
        ]

    def headrace_tasks(self, cluster: dict[str, list[str]], *prefix: str) -> list[Process]:
        flag = f"--cluster={json.dumps(cluster)}"
        return [
            self.launch(
                f"headrace-{job}-{index}",
                *(*prefix, ROOT / "headrace", "server", flag, f"--job-name={job}", f"--task-index={index}"),
            )
            for job, tasks in cluster.items()
            for index in range(len(tasks))
        ]

    def restarter(self, server: Process) -> Callable[[], None]:
        def restart() -> None:
            server.child.kill()
            server.child.wait()
            server.start()
            server.await_line("ready")

        return restart

    def restart(self, sides: list[Side]) -> None:
        for side in sides:
            side.read(self.warm_up)
        for _ in range(self.rounds):
            for side in sides:
                side.read(self.window / 10)
                side.wait_over_restart(4 * self.window)

    def read(self, sides: list[Side]) -> None:
        for side in sides:
            side.first_second = side.read(1)
            side.read(self.warm_up - 1)
        self.take_turns(sides, self.rounds)

    def take_turns(self, sides: list[Side], rounds: int) -> None:
        for _ in range(rounds):
            for side in sides:
                self.settle()
                # Elements that were buffered before do not count.
                side.read(self.window / 3)
                side.measure(self.window)

    def settle(self) -> None:
        """Waits until all processes rest. A worker whose reader pauses goes on until its buffers are full, and would
        take the processors from the side that is measured next. Some never rest, so the wait is bounded."""
        before = None
        for _ in range(SETTLE_SECONDS * 2):
            used = sum(process.cpu_seconds() for process in self.processes if process.child.returncode is None)
            if before is not None and used - before < 0.05:
                break
            before = used
            time.sleep(0.5)

    def iterate(self, sides: list[Side]) -> None:
        for side in sides:
            for _ in range(int(self.warm_up)):
                side.iterate()
            side.first_second = side.wholes[0]
            side.firsts.clear()
            side.wholes.clear()
        for _ in range(self.rounds * ITERATIONS):
            for side in sides:
                side.iterate()

    def stock_servers(self, address: str, row: Row) -> list[Process]:
        return [self.stock_dispatcher(address, row), self.stock_worker(address)]

    def stock_worker(self, dispatcher: str, port: int = 0) -> Process:
        return self.launch("stock-worker", self.python, STOCK_SERVERS / "stock_worker.py", dispatcher, port)

    def stock_dispatcher(self, address: str, row: Row, work_dir: pathlib.Path | None = None) -> Process:
        arguments = [address.partition(":")[2]]
        if row.journaled:
            arguments += ["", work_dir or self.work_dir("stock")]
        script = STOCK_SERVERS / "stock_dispatcher.py"
        return self.launch("stock-dispatcher", self.python, script, *arguments)

    def headrace_servers(self, address: str, row: Row) -> list[Process]:
        return [self.headrace_dispatcher(address, row), self.headrace_worker(address)]

    def headrace_worker(self, dispatcher: str, port: int = 0) -> Process:
        flags = (f"--dispatcher-address={dispatcher}", f"--port={port}")
        return self.launch("headrace-worker", ROOT / "headrace", "worker", *flags)

    def headrace_dispatcher(self, address: str, row: Row, work_dir: pathlib.Path | None = None) -> Process:
        flags = [f"--work-dir={work_dir or self.work_dir('headrace')}"] if row.journaled else []
        return self.launch_dispatcher(address, *flags)

    def launch_dispatcher(self, address: str, *flags: str) -> Process:
        port = f"--port={address.partition(':')[2]}"
        return self.launch("headrace-dispatcher", ROOT / "headrace", "dispatcher", port, *flags)

    def work_dir(self, name: str) -> pathlib.Path:
        """A new work_dir on a disk: a file system in memory has nothing to flush."""
        directory = self.logs / f"work-{name}"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        return directory

    def stock_client(self, address: str, row: Row) -> Process:
        script = pathlib.Path(__file__).with_name("stock_client.py")
        return self.launch("stock-client", self.python, script, f"grpc://{address}", row.name, self.corpus)

    def headrace_client(self, address: str, row: Row, name: str, server: Process) -> Process:
        """The Java client, on the JVM and the class path of Headrace's servers."""
        way = "iterations" if row.iteration else "columns" if name == COLUMNS else "elements"
        mode = "cached" if row.cached else row.mode
        arguments = ("io.headrace.bench.BenchClient", f"grpc://{address}", row.id, mode, way)
        return self.java_client(server.command_line(), *arguments)

    def java_client(self, words: list[str], *arguments) -> Process:
        """A main class of the bench, on the JVM and the class path of the server whose command line is given."""
        class_path = f"{words[words.index('-cp') + 1]}:{ROOT / 'bench/target/classes'}"
        return self.launch(
            "headrace-client",
            *(words[0], "--enable-native-access=ALL-UNNAMED", "-XX:+UseParallelGC", "-cp", class_path),
            *arguments,
        )

    def launch(self, name: str, *command) -> Process:
        log = self.logs / f"{name}.log"
        process = Process([str(word) for word in command], log)
        self.processes.append(process)
        return process


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="three rows, short windows: a smoke test")
    parser.add_argument("--runs", type=int, default=20, help="how often a process is killed (%(default)s)")
    parser.add_argument(
        "--rows", default="", help="names of rows, separated by semicolons; killed: all faults; pipelines: all preprocessing"
    )
    parser.add_argument(
        "--sides",
        default=f"{STOCK_CLIENT};{HEADRACE};{COLUMNS}",
        help="what is beside stock, separated by semicolons (all: %(default)s)",
    )
    flags = parser.parse_args()
    names = [name for name in flags.rows.split(";") if name]
    unknown = set(names) - {row.name for row in ROWS} - GROUPS
    if unknown:
        known = [*sorted(GROUPS), *(row.name for row in ROWS)]
        parser.error(f"no row is named {'; '.join(sorted(unknown))}; the rows are {'; '.join(known)}")
    chosen = [row for row in ROWS if row.is_chosen(names, flags.quick)]
    bench = Bench(flags.python, flags.sides.split(";"), flags.quick, flags.runs)
    measured = []
    failed = []
    for row in chosen:
        started = time.monotonic()
        try:
            measured.append((row, bench.measure(row)))
            # A run of all rows takes hours, and may be cut short.
            print(table(measured[-1:], []), file=sys.stderr)
        except RowFailed as e:
            failed.append(f"{row.name}: {e}")
        print(f"{row.name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print(table(measured, preprocessing.summary(measured)))
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
