"""Runs a stock server as a process."""

import os
import signal
import sys
import threading


def serve(server, address: str) -> None:
    """Prints the ready line, then waits for SIGTERM or the end of standard input.

    The parent holds the other end of standard input, so the server ends with its parent in any case.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    threading.Thread(target=end_with_input, daemon=True).start()
    print(f"ready grpc://{address}", flush=True)
    while server:
        signal.pause()


def end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)
