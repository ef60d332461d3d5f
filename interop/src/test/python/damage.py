"""Damaged files and messages: bytes changed, cut, repeated, and spliced, also behind checksums and compression."""

import random
import struct
import zlib

PNG = b"\x89PNG\r\n\x1a\n"
# Bytes that begin markers, end fields, or are the least and largest of a type.
TELLING = [b"\0", b"\1", b"\x7f", b"\x80", b"\xff", b"\xff\xd9", b"\xff\xda", b"\xff\xd0", b"\0\0\0\0", b"\xff\xff\xff\xff"]


def damaged(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """One to eight changes; `others` are what parts are taken from."""
    if data.startswith(PNG) and chance.random() < 0.8:
        return damaged_png(chance, data)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        data = changed(chance, data, others)
    return data


def changed(chance: random.Random, data: bytes, others: list[bytes]) -> bytes:
    # Headers are at the beginning, and short.
    at = chance.randrange(min(len(data), chance.choice([16, 64, 512, 1 << 30])) + 1)
    end = at + chance.choice([1, 1, 2, 4, 16, 64])
    match chance.randrange(8):
        case 0 | 1:
            return data[:at] + bytes(b ^ 1 << chance.randrange(8) for b in data[at : at + 1]) + data[at + 1 :]
        case 2:
            return data[:at] + chance.choice(TELLING) + data[at + 1 :]
        case 3:
            return data[:at] + chance.randbytes(end - at) + data[end:]
        case 4:
            return data[:at] + data[end:]
        case 5:
            return data[:at] + data[at:end] + data[at:]
        case 6:
            return data[:at]
        case _:
            other = chance.choice(others)
            return data[:at] + other[chance.randrange(len(other) + 1) :]


def damaged_png(chance: random.Random, data: bytes) -> bytes:
    """A change of one chunk, whose checksum is right again; of pixels, before they are compressed."""
    chunks = list(chunks_of(data))
    if not chunks:
        return data[: chance.randrange(len(data))]
    at = chance.randrange(len(chunks))
    kind, content = chunks[at]
    match chance.randrange(5):
        case 0:
            del chunks[at]
        case 1:
            chunks.insert(chance.randrange(len(chunks) + 1), chunks[at])
        case 2 if kind == b"IDAT" and (pixels := inflated(content)) is not None:
            chunks[at] = (kind, zlib.compress(changed(chance, pixels, [pixels])))
        case 3:
            chunks[at] = (bytes(b ^ 1 << chance.choice([0, 1, 5]) for b in kind), content)
        case _:
            chunks[at] = (kind, changed(chance, content, [content]))
    return PNG + b"".join(chunk(*one) for one in chunks)


def chunks_of(data: bytes):
    at = len(PNG)
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        at += size + 12


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def inflated(content: bytes) -> bytes | None:
    try:
        return zlib.decompress(content)
    except zlib.error:
        return None
