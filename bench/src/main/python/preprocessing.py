"""The rows of preprocessing: pipelines after those that people train with, read while their worker is fresh and then
by turns; and what the worker's processor does for an element."""

import dataclasses
import pathlib
import shutil
import statistics
import subprocess

from processes import Process, Side, free_address
from rows import HEADRACE, STOCK, STOCK_CLIENT, Row
from tables import verdict

FRESH_SECONDS = 10
# After each pause the tuned buffers of a pipeline, stock's and Headrace's, grow: more rounds would measure them.
ROUNDS = 3

# Multiples of stock that the median and the worst of all pipelines should reach.
TARGETS = {
    (STOCK_CLIENT, "rate"): (1.5, 0.9),
    (STOCK_CLIENT, "fresh rate"): (0.7, None),
    (STOCK_CLIENT, "CPU"): (2.0, 1.0),
    (HEADRACE, "rate"): (2.5, None),
}


@dataclasses.dataclass
class Reading(Side):
    """A side whose worker's processor time is measured."""

    worker: Process | None = None
    # The rate of the first seconds.
    fresh: float = 0.0
    cpu_seconds: float = 0.0
    elements: int = 0

    def measure(self, seconds: float) -> None:
        before = self.worker.cpu_seconds()
        elements, took = self.count(seconds)
        self.cpu_seconds += self.worker.cpu_seconds() - before
        self.elements += elements
        self.rates.append(elements / took)

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)

    @property
    def cpu(self) -> float:
        """The worker's seconds of processor time for an element."""
        return self.cpu_seconds / max(1, self.elements)


def measure(bench, row: Row) -> list[Side]:
    """Each side alone while it is fresh; then the sides by turns."""
    corpus(bench)
    sides = start(bench, row)
    for side in sides:
        bench.settle()
        side.fresh = side.read(FRESH_SECONDS)
    bench.take_turns(sides, min(ROUNDS, bench.rounds))
    for side in sides:
        side.figures = figures(sides[0], side)
    return sides


def start(bench, row: Row) -> list[Reading]:
    """A dispatcher, a worker and a client a side, so that each side has a fresh worker."""
    sides = []
    for name in (STOCK, *(name for name in (STOCK_CLIENT, HEADRACE) if name in bench.sides)):
        address = free_address()
        servers = (bench.stock_servers if name == STOCK else bench.headrace_servers)(address, row)
        for server in servers:
            server.await_line("ready")
        client = bench.stock_client(address, row)
        client.await_line("ready")
        if name == HEADRACE:
            # The stock client has registered the dataset.
            client.close()
            client = bench.headrace_client(address, row, HEADRACE, servers[-1])
            client.await_line("ready")
        sides.append(Reading(name, client, worker=servers[-1]))
    return sides


def corpus(bench) -> None:
    """Generates the files, once."""
    if not (bench.corpus / "complete").exists():
        shutil.rmtree(bench.corpus, ignore_errors=True)
        script = pathlib.Path(__file__).with_name("corpus.py")
        subprocess.run([bench.python, script, bench.corpus], check=True)


def figures(stock: Reading, side: Reading) -> list[str]:
    cpu = f"{side.cpu * 1e3:,.2f} ms CPU"
    return [f"{side.fresh:,.1f}/s", f"{side.rate:,.1f}/s", cpu, *verdict(side.rate / stock.rate, None)]


def summary(measured: list[tuple[Row, list[Side]]]) -> list[list[str]]:
    """Cells of lines that tell the median and the worst of all pipelines."""
    lines = []
    rows = [sides for row, sides in measured if row.preprocessing]
    for (name, what), (median, worst) in TARGETS.items() if rows else ():
        pairs = [(sides[0], side) for sides in rows for side in sides if side.name == name]
        if pairs:
            ratios = [ratio(what, *pair) for pair in pairs]
            lines += [
                [f"median {what}", name, "", "", "", *verdict(statistics.median(ratios), median)],
                [f"worst {what}", name, "", "", "", *verdict(min(ratios), worst)],
            ]
    return lines


def ratio(what: str, stock: Reading, side: Reading) -> float:
    """How many times better than stock."""
    match what:
        case "rate":
            return side.rate / stock.rate
        case "fresh rate":
            return side.fresh / stock.fresh
        case _:
            return stock.cpu / max(side.cpu, 1e-9)
