"""The rows of what observing costs: the same reads from servers that nobody looks at, and from servers with all that
operators may ask for, while pages, metrics and a trace endpoint are read."""

import contextlib
import http.server
import json
import math
import statistics
import threading
import urllib.request

from processes import ROOT, Process, Side, free_address
from rows import HEADRACE, STOCK_CLIENT, Row

ROUNDS = 20
SCRAPE_SECONDS = 1
# Student's t of 19 degrees of freedom: half of a 95 % interval, in standard errors.
T95 = 2.093


class Servers:
    """A dispatcher and a worker; if observed, with every flag that lets people look."""

    def __init__(self, bench, observed: bool):
        self.address = free_address()
        self.pages = [free_address(), free_address()] if observed else []
        port = self.address.partition(":")[2]
        self.processes = [
            bench.launch_dispatcher(self.address, *self.flags(bench, 0)),
            bench.launch(
                "headrace-worker",
                *(ROOT / "headrace", "worker", f"--dispatcher-address=localhost:{port}", "--port=0"),
                *self.flags(bench, 1),
            ),
        ]
        for process in self.processes:
            process.await_line("ready")

    def flags(self, bench, index: int) -> list[str]:
        if not self.pages:
            return []
        port = self.pages[index].partition(":")[2]
        return [
            f"--http-port={port}",
            *("--grpc-metrics", "--grpc-reflection", "--grpc-channelz"),
            *(f"--otlp-endpoint={bench.collector}", "--otlp-interval-ms=1000"),
        ]

    @contextlib.contextmanager
    def looked_at(self):
        """Asks for pages and metrics each second."""
        over = threading.Event()
        thread = threading.Thread(target=self.look, args=[over])
        if self.pages:
            thread.start()
        try:
            yield
        finally:
            over.set()
            if self.pages:
                thread.join()

    def look(self, over: threading.Event) -> None:
        dispatcher, worker = self.pages
        while True:
            for job in json.loads(get(dispatcher, "api/status"))["jobs"]:
                get(dispatcher, f"api/jobs/{job['id']}/statistics")
                get(dispatcher, f"api/jobs/{job['id']}/history")
            get(worker, "api/worker")
            for address in self.pages:
                get(address, "metrics")
                get(address, "health")
            if over.wait(SCRAPE_SECONDS):
                return


def get(address: str, path: str) -> bytes:
    with urllib.request.urlopen(f"http://{address}/{path}") as reply:
        return reply.read()


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes what is sent by OpenTelemetry's protocol."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def measure(bench, row: Row) -> list[Side]:
    """Both kinds of servers by turns; the ratio of each pair, with its interval."""
    collector = http.server.ThreadingHTTPServer(("localhost", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    bench.collector = f"http://localhost:{collector.server_port}"
    try:
        servers = [Servers(bench, observed) for observed in (False, True)]
        sides = [Side(name, client(bench, row, of)) for name, of in zip(("alone", "observed"), servers)]
        for side, of in zip(sides, servers):
            side.client.await_line("ready")
            with of.looked_at():
                side.first_second = side.read(1)
                side.read(bench.warm_up)
        for _ in range(ROUNDS):
            for side, of in zip(sides, servers):
                with of.looked_at():
                    side.read(bench.window / 10)
                    side.rates.append(side.read(bench.window))
    finally:
        collector.shutdown()
    for side in sides:
        side.figures = figures(sides[0], side, row)
    return sides


def client(bench, row: Row, servers: Servers) -> Process:
    stock = bench.stock_client(servers.address, row)
    if row.observed == STOCK_CLIENT:
        return stock
    # It has registered the dataset.
    stock.await_line("ready")
    stock.close()
    return bench.headrace_client(servers.address, row, row.observed, servers.processes[-1])


def figures(base: Side, side: Side, row: Row) -> list[str]:
    shown = [f"{side.first_second:,.0f}/s", f"{statistics.median(side.rates):,.0f}/s", ""]
    if side is base:
        return [*shown, "1.00 x", "", ""]
    # Logarithms, so that a ratio and its inverse count alike.
    ratios = [math.log(one / other) for one, other in zip(side.rates, base.rates)]
    mean = statistics.mean(ratios)
    half = T95 * statistics.stdev(ratios) / math.sqrt(len(ratios))
    low, ratio, high = (math.exp(x) for x in (mean - half, mean, mean + half))
    target = row.targets[HEADRACE]
    verdict = "reached" if high >= target else "MISSED"
    return [*shown, f"{ratio:.3f} x ({low:.3f}-{high:.3f})", f"{target:g} x", verdict]
