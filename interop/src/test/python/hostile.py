"""Hostile peers: hostile.py DISPATCHER WORKER

Sends malformed and unexpected requests, from a seed, to both ports, and prints "done N" after N requests and
connections. The answers do not matter; the servers must stay alive.
"""

import random
import socket
import sys

import grpc

DISPATCHER = [
    "WorkerHeartbeat WorkerUpdate GetDatasetDef GetSplit GetVersion GetOrRegisterDataset GetOrCreateJob",
    "GetOrCreateIteration MaybeRemoveTask ReleaseIterationClient ClientHeartbeat GetWorkers",
    "GetDataServiceMetadata GetDataServiceConfig Snapshot GetSnapshotSplit GetSnapshotStreams",
    "DisableCompressionAtRuntime NoSuchMethod",
]
EXTENSIONS = (
    "ExtendedWorkerHeartbeat WatchIteration TakeSplits DescribeTask JoinIteration ReportReceipts ReportDeliveries"
)
WORKER = "ProcessTask GetElement GetWorkerTasks GetSnapshotTaskProgresses NoSuchMethod"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def methods(service: str, names: str) -> list[str]:
    return [f"/{service}/{name}" for name in names.split()]


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def cycle() -> bytes:
    """A GetOrRegisterDatasetRequest of a graph with a cycle of two nodes."""
    node = lambda name, source: text(1, text(1, name) + text(2, b"Identity") + text(3, source))
    return text(1, text(1, node(b"a", b"b") + node(b"b", b"a")))


def messages(chance: random.Random) -> list[bytes]:
    return [
        b"",
        chance.randbytes(200),
        b"".join(number(field, -1) for field in range(1, 16)),
        b"".join(number(field, 1 << 62) for field in range(1, 16)),
        b"".join(text(field, chance.randbytes(40)) for field in range(1, 16)),
        b"".join(text(field, b"\xff" * 4) for field in range(1, 16)),
        text(1, b"nowhere:1") + number(5, 7),
        text(1, b"x" * 100_000),
        cycle(),
        text(1, varint(1 << 62)) * 100,
        text(1, bytes(5 << 20)),
    ]


def call_everything(dispatcher: str, worker: str, chance: random.Random) -> int:
    count = 0
    extensions = methods("headrace.DispatcherExtensions", EXTENSIONS)
    calls = [
        (dispatcher, methods("tensorflow.data.DispatcherService", " ".join(DISPATCHER)) + extensions),
        (worker, methods("tensorflow.data.WorkerService", WORKER)),
        (worker, methods("headrace.ElementStream", "ReadTask")),
    ]
    for address, names in calls:
        with grpc.insecure_channel(address) as channel:
            for name in names:
                call = channel.unary_unary(name, lambda m: m, lambda m: m)
                # All at once: some end only by their deadline.
                answers = [call.future(message, timeout=2) for message in messages(chance)]
                for answer in answers:
                    answer.exception()
                count += len(answers)
    return count


def connect(address: str, first: bytes) -> socket.socket:
    host, port = address.rsplit(":", 1)
    peer = socket.create_connection((host, int(port)), timeout=10)
    try:
        peer.sendall(first)
    except OSError:
        pass  # the server closed the connection first
    return peer


def main() -> None:
    dispatcher, worker = sys.argv[1:]
    chance = random.Random(7)
    count = 0
    held = []
    for address in (dispatcher, worker):
        for first in (b"", PREFACE, PREFACE + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01", b"GET / HTTP/1.1\r\n\r\n"):
            held += [connect(address, first) for _ in range(25)]
        for _ in range(100):
            connect(address, chance.randbytes(chance.randrange(1, 5000))).close()
            connect(address, PREFACE + chance.randbytes(chance.randrange(1, 5000))).close()
            count += 2
    count += len(held) + call_everything(dispatcher, worker, chance)
    for peer in held:
        peer.close()
    print("done", count, flush=True)


if __name__ == "__main__":
    main()
