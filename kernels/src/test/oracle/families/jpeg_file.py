"""JPEG files of all kinds: those of tf.io.encode_jpeg, other subsamplings, CMYK, restart markers, cut off, damaged.

`write` makes baseline files that tf.io.encode_jpeg does not. Their pixels are those of libjpeg-turbo, bit for bit.
"""

import struct

import numpy as np
import tensorflow as tf

from families.image import jpeg, photo

# The sampling factors of each component, horizontal and vertical, and the color transform of an Adobe marker.
KINDS = {
    "444": ([(1, 1)] * 3, None),
    "422": ([(2, 1), (1, 1), (1, 1)], None),
    "440": ([(1, 2), (1, 1), (1, 1)], None),
    "420": ([(2, 2), (1, 1), (1, 1)], None),
    "411": ([(4, 1), (1, 1), (1, 1)], None),
    "410": ([(4, 2), (1, 1), (1, 1)], None),
    "mixed": ([(2, 2), (2, 1), (1, 1)], None),
    "rgb": ([(1, 1)] * 3, 0),
    "gray": ([(1, 1)], None),
    "gray 2x2": ([(2, 2)], None),
    "two": ([(1, 1)] * 2, None),
    "cmyk": ([(1, 1)] * 4, None),
    "adobe cmyk": ([(1, 1)] * 4, 0),
    "ycck": ([(2, 2), (1, 1), (1, 1), (2, 2)], 2),
}
SIZE = (37, 51)

ZIGZAG = sorted(
    ((y, x) for y in range(8) for x in range(8)), key=lambda p: (p[0] + p[1], p[(p[0] + p[1] + 1) % 2])
)


def segment(marker, content):
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def standard_tables():
    """The DQT and DHT segments of a file of stock's, and the codes of its Huffman tables by class and number."""
    image = np.zeros([8, 8, 3], np.uint8)
    file = tf.io.encode_jpeg(image, quality=90, chroma_downsampling=False).numpy()
    at, segments, quantizers, codes = 2, b"", {}, {}
    while file[at + 1] != 0xDA:
        length = 2 + int.from_bytes(file[at + 2 : at + 4], "big")
        content = file[at + 4 : at + length]
        if file[at + 1] == 0xDB:
            segments += file[at : at + length]
            quantizers[content[0]] = np.frombuffer(content[1:], np.uint8).astype(int)
        if file[at + 1] == 0xC4:
            segments += file[at : at + length]
            codes[content[0] >> 4, content[0] & 15] = huffman_codes(content[1:17], content[17:])
        at += length
    return segments, quantizers, codes


def huffman_codes(counts, symbols):
    codes, code, taken = {}, 0, 0
    for length, count in enumerate(counts, 1):
        for symbol in symbols[taken : taken + count]:
            codes[symbol] = f"{code:0{length}b}"
            code += 1
        taken += count
        code *= 2
    return codes


def dct(block):
    k, n = np.mgrid[0:8, 0:8]
    basis = np.cos((2 * n + 1) * k * np.pi / 16) * np.where(k == 0, np.sqrt(1 / 8), 1 / 2)
    return basis @ (block - 128.0) @ basis.T


def magnitude(value):
    """The size of a coefficient and the bits that follow its code."""
    size = int(abs(value)).bit_length()
    return size, f"{value if value >= 0 else value + (1 << size) - 1:0{size}b}" if size else ""


def block_bits(block, quantizer, previous, dc, ac):
    values = np.rint([dct(block)[p] for p in ZIGZAG] / quantizer).astype(int)
    size, bits = magnitude(int(values[0]) - previous)
    out, run = dc[size] + bits, 0
    last = max([i for i in range(1, 64) if values[i]], default=0)
    for value in values[1 : last + 1]:
        if value == 0:
            run += 1
            continue
        while run > 15:
            out, run = out + ac[0xF0], run - 16
        size, bits = magnitude(int(value))
        out, run = out + ac[run << 4 | size] + bits, 0
    return out + (ac[0] if last < 63 else ""), int(values[0])


def stuffed(bits):
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\x00")


def write(planes, height, width, sampling, restart=0, adobe=None, interleaved=True, frame=0xC0):
    """A file of `planes`, uint8 arrays, which are repeated at their edges; `sampling` has a (horizontal, vertical)
    factor for each. `adobe` is the color transform of an Adobe marker."""
    tables, quantizers, codes = standard_tables()
    chroma = [int(0 < i < 3) for i in range(len(planes))]
    most = np.max(sampling, axis=0)
    out = b"\xff\xd8" + tables
    if adobe is not None:
        out += segment(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([adobe]))
    header = struct.pack(">BHHB", 8, height, width, len(planes))
    for i, (h, v) in enumerate(sampling):
        header += bytes([i + 1, h << 4 | v, chroma[i]])
    out += segment(frame, header)
    if restart:
        out += segment(0xDD, struct.pack(">H", restart))
    for scan in [list(range(len(planes)))] if interleaved else [[i] for i in range(len(planes))]:
        out += segment(
            0xDA,
            bytes([len(scan)]) + b"".join(bytes([i + 1, chroma[i] * 0x11]) for i in scan) + b"\0\x3f\0",
        )
        out += scan_data(planes, height, width, sampling, most, scan, restart, chroma, quantizers, codes)
    return out + b"\xff\xd9"


def scan_data(planes, height, width, sampling, most, scan, restart, chroma, quantizers, codes):
    size = {i: (8, 8) if len(scan) == 1 else (8 * sampling[i][1], 8 * sampling[i][0]) for i in scan}
    first = scan[0]
    if len(scan) == 1:  # blocks within the component
        rows = -(-(-(-height * sampling[first][1] // most[1])) // 8)
        columns = -(-(-(-width * sampling[first][0] // most[0])) // 8)
    else:
        rows, columns = -(-height // (8 * most[1])), -(-width // (8 * most[0]))
    padded = {
        i: np.pad(planes[i], [(0, rows * size[i][0]), (0, columns * size[i][1])], "edge").astype(float) for i in scan
    }
    out, bits, previous = b"", "", dict.fromkeys(scan, 0)
    for unit in range(rows * columns):
        if restart and unit and unit % restart == 0:
            out += stuffed(bits) + bytes([0xFF, 0xD0 + (unit // restart - 1) % 8])
            bits, previous = "", dict.fromkeys(scan, 0)
        y, x = divmod(unit, columns)
        for i in scan:
            for top in range(y * size[i][0], (y + 1) * size[i][0], 8):
                for left in range(x * size[i][1], (x + 1) * size[i][1], 8):
                    block = padded[i][top : top + 8, left : left + 8]
                    dc, ac = codes[0, chroma[i]], codes[1, chroma[i]]
                    text, previous[i] = block_bits(block, quantizers[chroma[i]], previous[i], dc, ac)
                    bits += text
    return out + stuffed(bits)


def planes_of(image, sampling):
    """The channels of an [height, width, channels] image, each reduced to its share of the pixels."""
    most = np.max(sampling, axis=0)
    return [image[:: most[1] // v, :: most[0] // h, i] for i, (h, v) in enumerate(sampling)]


def files():
    """Small files by name."""
    image = photo(*SIZE, 4)
    result = {}
    for name, (sampling, adobe) in KINDS.items():
        planes = planes_of(image, sampling)
        result[name] = write(planes, *SIZE, sampling, adobe=adobe)
        result[f"{name}, restarts"] = write(planes, *SIZE, sampling, restart=3, adobe=adobe)
        result[f"{name}, scans"] = write(planes, *SIZE, sampling, adobe=adobe, interleaved=False)
    color = photo(*SIZE, 3)
    result["stock"] = jpeg(color)
    result["stock, progressive"] = jpeg(color, progressive=True)
    result["stock, progressive 444"] = jpeg(color, progressive=True, chroma_downsampling=False)
    result["stock, gray"] = jpeg(photo(*SIZE, 1), progressive=True)
    return result


def record(case):
    for name, file in files().items():
        whole(case, name, file)
        if "," not in name or name.startswith("stock"):
            crops(case, name, file)
            cut_off(case, name, file)


def decode(case, name, file, **options):
    crops = "crop_window" in options
    case("DecodeAndCropJpeg" if crops else "DecodeJpeg", contents=file, _label=f"{name}: {options}", _shapes=False, **options)


def whole(case, name, file):
    decode(case, name, file)
    decode(case, name, file, channels=1)
    decode(case, name, file, ratio=2)
    decode(case, name, file, ratio=8, fancy_upscaling=False)


def crops(case, name, file):
    decode(case, name, file, crop_window=[3, 5, 10, 20])
    decode(case, name, file, crop_window=[17, 16, 3, 9], fancy_upscaling=False)
    decode(case, name, file, crop_window=[36, 50, 1, 1], channels=3)
    decode(case, name, file, crop_window=[3, 5, 4, 6], ratio=4)


def cut_off(case, name, file):
    cut = file[: int(len(file) * 0.85)]
    decode(case, name, cut, acceptable_fraction=0.1)
    decode(case, name, cut, acceptable_fraction=0.9)
    decode(case, name, cut, try_recover_truncated=True)
    decode(case, name, cut, crop_window=[1, 2, 35, 40], acceptable_fraction=0.1)
    damaged = bytearray(file)
    damaged[int(len(file) * 0.8)] ^= 0x55
    decode(case, name, bytes(damaged))
