"""The processes of a row, and its sides: a client and its service each."""

import dataclasses
import os
import pathlib
import socket
import subprocess
import time
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parents[4]
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class RowFailed(Exception):
    """The end of a process of the row, with the reason. The other rows are measured nevertheless."""


class Process:
    """A child process that answers lines on its standard input, and ends when that is closed."""

    def __init__(self, command: list[str], log: pathlib.Path):
        self.name = log.stem
        self.log = log
        self.command = command
        self.start()

    def start(self) -> None:
        pipe = subprocess.PIPE
        with self.log.open("ab") as errors:
            self.child = subprocess.Popen(
                self.command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=errors, text=True
            )

    def await_line(self, start: str) -> list[str]:
        """Waits for the next line that begins with start; returns the words behind it."""
        for line in self.child.stdout:
            if line.startswith(start):
                return line.split()[1:]
        end = self.log.read_text(errors="replace")[-2000:]
        raise RowFailed(f"{self.name} ended with {self.child.wait()}; {self.log} ends:\n{end}")

    def ask(self, line: str) -> list[str]:
        self.tell(line)
        return self.await_line(line.split()[0])

    def tell(self, line: str) -> None:
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def command_line(self) -> list[str]:
        """The current command line, which differs from the original one after a script has exec'd a program."""
        command = ["ps", "-ww", "-o", "args=", "-p", str(self.child.pid)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    def cpu_seconds(self) -> float:
        """The processor time that the process has used."""
        stat = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / TICKS_PER_SECOND

    def close(self) -> None:
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


@dataclasses.dataclass
class Side:
    """One client on one service, and its measurements."""

    name: str
    client: Process | None = None
    first_second: float = 0.0
    rates: list[float] = dataclasses.field(default_factory=list)
    firsts: list[float] = dataclasses.field(default_factory=list)
    wholes: list[float] = dataclasses.field(default_factory=list)
    # Restarts the dispatcher.
    restart: Callable[[], None] = lambda: None
    # Preformatted cells of the table, instead of rates and times.
    figures: list[str] | None = None

    def read(self, seconds: float) -> float:
        """Elements a second."""
        elements, took = self.count(seconds)
        return elements / took

    def count(self, seconds: float) -> tuple[int, float]:
        """The number of elements that the client read, and the seconds that it took."""
        elements, took = self.client.ask(f"read {seconds:g}")
        return int(elements), float(took)

    def measure(self, seconds: float) -> None:
        self.rates.append(self.read(seconds))

    def wait_over_restart(self, seconds: float) -> None:
        self.client.tell(f"wait {seconds:g}")
        time.sleep(seconds / 4)
        self.restart()
        self.wholes.append(float(self.client.await_line("wait")[0]))

    def iterate(self) -> None:
        first, whole = self.client.ask("iterate")
        self.firsts.append(float(first))
        self.wholes.append(float(whole))


def addresses(tasks: dict[str, int]) -> dict[str, list[str]]:
    """A free address for each task of each job."""
    return {job: [free_address() for _ in range(count)] for job, count in tasks.items()}


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return f"localhost:{probe.getsockname()[1]}"
