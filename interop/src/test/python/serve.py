"""How a stock server runs as a process of its own."""

import os
import signal
import sys
import threading


def serve(server, address: str) -> None:
    """Says where the server listens, then waits for SIGTERM or for the end of standard input.

    Whoever starts it holds the other end of standard input, so it ends with its parent however that
    one ends.
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
