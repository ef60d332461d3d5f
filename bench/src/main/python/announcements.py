"""The rows of announced deliveries: the journal's size while the workers of a stock client announce what they deliver,
with the journal on a disk or in a bucket of an emulator."""

import pathlib
import subprocess

from processes import ROOT, Side, free_address
from rows import HEADRACE, Row
from tables import verdict_at_most

WORKERS, RATE = 100, 10_000
WINDOW_SECONDS, WINDOWS = 2, 20


def measure(bench, row: Row) -> list[Side]:
    """The rate that was reached, the longest wait for an element, and the greatest size of the work_dir in MB."""
    address = free_address()
    work_dir = bench.work_dir("announcements")
    flags = bucket_flags(bench, work_dir) if row.bucket else [f"--work-dir={work_dir}"]
    server = bench.launch_dispatcher(address, *flags)
    server.await_line("ready")
    arguments = ("io.headrace.bench.AnnouncedReads", f"grpc://{address}", WORKERS, RATE)
    reader = bench.java_client(server.command_line(), *arguments)
    reader.await_line("ready")
    # Classes are loaded and compiled first.
    reader.ask(f"read {bench.warm_up:g}")
    elements, seconds, longest, greatest = 0, 0.0, 0.0, 0
    for _ in range(WINDOWS):
        read, took, wait = reader.ask(f"read {WINDOW_SECONDS}")
        elements, seconds, longest = elements + int(read), seconds + float(took), max(longest, float(wait))
        greatest = max(greatest, size(work_dir))
    verdict = verdict_at_most(greatest / 1e6, row.targets.get(HEADRACE))
    figures = [f"{longest:,.2f} s wait", f"{elements / seconds:,.0f}/s", f"{greatest / 1e6:,.1f}", *verdict]
    return [Side(HEADRACE, None, figures=figures)]


def bucket_flags(bench, folder: pathlib.Path) -> list[str]:
    """The dispatcher's flags for a new bucket, whose objects an emulator keeps as files in the folder."""
    (folder / "bucket").mkdir()
    program = subprocess.run([ROOT / "config/fake-gcs-server"], check=True, capture_output=True, text=True).stdout.strip()
    host, _, port = free_address().partition(":")
    bench.launch(
        "fake-gcs-server",
        *(program, "-scheme=http", f"-host={host}", f"-port={port}"),
        *("-backend=filesystem", f"-filesystem-root={folder}"),
    )
    return ["--work-dir=gs://bucket/dispatcher", f"--gcs-endpoint=http://{host}:{port}"]


def size(folder: pathlib.Path) -> int:
    """The bytes of its files, which come and go."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            pass
    return total
