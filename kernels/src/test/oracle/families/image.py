"""Image files whose pixels are the same with every JPEG decoder."""

import struct
import zlib

import numpy as np
import tensorflow as tf


def photo(height, width, channels, seed=1):
    """Smooth shapes with some noise, like a photo."""
    random = np.random.RandomState(seed)
    y, x, c = np.mgrid[0:height, 0:width, 0:channels]
    wave = 127 + 90 * np.sin(x / 5.0 + c) * np.cos(y / 7.0 - c) + random.normal(0, 6, y.shape)
    return np.clip(wave, 0, 255).astype(np.uint8)


def jpeg(image, **options):
    return tf.io.encode_jpeg(image, **options).numpy()


COLOR = jpeg(photo(37, 45, 3))
GRAY = jpeg(photo(21, 19, 1))
PROGRESSIVE = jpeg(photo(37, 45, 3), progressive=True, quality=80)
EXACT = dict(dct_method="INTEGER_ACCURATE")


def record(case):
    jpegs(case)
    damaged_jpegs(case)
    pngs(case)
    damaged_pngs(case)
    bmps(case)
    gifs(case)
    mixed(case)


def jpegs(case):
    for file in [COLOR, GRAY, PROGRESSIVE, jpeg(photo(16, 16, 3), chroma_downsampling=False, quality=100)]:
        for channels in [0, 1, 3]:
            case("DecodeJpeg", contents=file, channels=channels, **EXACT)
        for dtype in [tf.int32, tf.int64]:
            case("ExtractJpegShape", contents=file, output_type=dtype)
    for window in [[0, 0, 37, 45], [3, 5, 10, 20], [36, 44, 1, 1]]:
        case("DecodeAndCropJpeg", contents=COLOR, crop_window=window, **EXACT)
    for window in [[0, 0, 38, 45], [-1, 0, 5, 5], [0, 0, 0, 5], [0, 41, 5, 5], [[0, 0, 5, 5]], [1, 2, 3]]:
        case("DecodeAndCropJpeg", contents=COLOR, crop_window=window, **EXACT)


def damaged_jpegs(case):
    for cut in [3, 20, 200, len(COLOR) // 2, len(COLOR) - 20, len(COLOR) - 2, len(COLOR) - 1]:
        case("DecodeJpeg", contents=COLOR[:cut], _says="", _label=f"cut to {cut}", **EXACT) if cut < len(
            COLOR
        ) - 2 else case("DecodeJpeg", contents=COLOR[:cut], _label=f"cut to {cut}", **EXACT)
    case("DecodeJpeg", contents=PROGRESSIVE[: len(PROGRESSIVE) // 2], **EXACT)
    case("DecodeJpeg", contents=PROGRESSIVE[:-2], **EXACT)
    case("DecodeJpeg", contents=COLOR + b"trailing", **EXACT)
    case("DecodeJpeg", contents=b"\xff\xd8\xff\xe0 nothing else", **EXACT)
    case("DecodeJpeg", contents=b"")
    case("DecodeJpeg", contents=b"not an image")
    case("DecodeJpeg", contents=np.array([COLOR], dtype=object))
    case("DecodeJpeg", contents=COLOR, channels=4)
    case("DecodeJpeg", contents=COLOR, channels=2)
    case("DecodeJpeg", contents=COLOR, ratio=3)
    case("DecodeJpeg", contents=COLOR, dct_method="FLOAT")
    case("ExtractJpegShape", contents=COLOR[:10])
    case("ExtractJpegShape", contents=b"png")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, color, rows, extra=b"", interlace=0):
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + extra
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def rows_of(width, height, bits, seed, filters=(0,)):
    random = np.random.RandomState(seed)
    size = (width * bits + 7) // 8
    return b"".join(bytes([filters[y % len(filters)]]) + random.bytes(size) for y in range(height))


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def interlaced(width, height, bits, seed):
    result = b""
    for x, y, dx, dy in ADAM7:
        columns, lines = (width - x + dx - 1) // dx, (height - y + dy - 1) // dy
        if columns > 0 and lines > 0:
            result += rows_of(columns, lines, bits, seed + x + y, (0, 1, 2, 3, 4))
    return result


PALETTE = chunk(b"PLTE", bytes(range(48)))
KINDS = [
    (1, 0, 1, b""), (2, 0, 2, b""), (4, 0, 4, b""), (8, 0, 8, b""), (16, 0, 16, b""),
    (8, 2, 24, b""), (16, 2, 48, b""), (8, 4, 16, b""), (16, 4, 32, b""), (8, 6, 32, b""), (16, 6, 64, b""),
    (1, 3, 1, PALETTE), (4, 3, 4, PALETTE), (4, 3, 4, PALETTE + chunk(b"tRNS", b"\x10\x80")),
    (4, 0, 4, chunk(b"tRNS", b"\x00\x03")), (1, 0, 1, chunk(b"tRNS", b"\x00\x01")),
]  # fmt: skip


def pngs(case):
    for index, (depth, color, bits, extra) in enumerate(KINDS):
        plain = png(7, 6, depth, color, rows_of(7, 6, bits, index, (0, 1, 2, 3, 4)), extra)
        laced = png(7, 6, depth, color, interlaced(7, 6, bits, index), extra, 1)
        for dtype in [tf.uint8, tf.uint16]:
            for channels in [0, 1, 3, 4]:
                case("DecodePng", contents=plain, channels=channels, dtype=dtype, _label=f"{depth} {color}")
            case("DecodePng", contents=laced, dtype=dtype, _label=f"{depth} {color} interlaced")
        case("DecodeImage", contents=plain, dtype=tf.float32)
    color = np.array([[[9, 8, 7], [1, 2, 3]]], np.uint8)
    key = chunk(b"tRNS", struct.pack(">HHH", 9, 8, 7))
    with_key = png(2, 1, 8, 2, b"\0" + color.tobytes(), key)
    for channels in [0, 1, 3, 4]:
        case("DecodePng", contents=with_key, channels=channels)
    case("DecodePng", contents=png(1, 1, 8, 0, b"\0\x55"))


def damaged_pngs(case):
    whole = png(7, 6, 8, 2, rows_of(7, 6, 24, 5))
    for cut in [8, 20, 33, 40, len(whole) - 20, len(whole) - 12, len(whole) - 1]:
        case("DecodePng", contents=whole[:cut], _label=f"cut to {cut}")
    wrong = bytearray(whole)
    wrong[60] ^= 1
    case("DecodePng", contents=bytes(wrong), _label="a wrong byte")
    wrong = bytearray(whole)
    wrong[30] ^= 1
    case("DecodePng", contents=bytes(wrong), _label="a wrong checksum")
    case("DecodePng", contents=png(7, 6, 8, 2, rows_of(7, 5, 24, 5)), _label="a row missing")
    case("DecodePng", contents=png(7, 6, 8, 2, rows_of(7, 6, 24, 5, (9,))), _label="an unknown filter")
    case("DecodePng", contents=png(0, 6, 8, 2, b""))
    case("DecodePng", contents=png(7, 6, 3, 2, b""))
    case("DecodePng", contents=png(7, 6, 8, 3, rows_of(7, 6, 8, 1)), _label="no palette")
    case("DecodePng", contents=png(1 << 20, 1 << 20, 8, 2, b""), _says="", _label="huge")


def bmp(width, height, channels, seed, top_down=False):
    random = np.random.RandomState(seed)
    row = (width * channels + 3) // 4 * 4
    data = random.bytes(row * height)
    size = -height if top_down else height
    header = b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54)
    info = struct.pack("<IiiHHIIiiII", 40, width, size, 1, channels * 8, 0, len(data), 0, 0, 0, 0)
    return header + info + data


def bmps(case):
    for had in [1, 3, 4]:
        for wanted in [0, 3, 4]:
            if had != 1 or wanted == 0:
                case("DecodeBmp", contents=bmp(5, 3, had, had), channels=wanted)
        case("DecodeBmp", contents=bmp(5, 3, had, had, True))
    case("DecodeImage", contents=bmp(5, 3, 3, 3), dtype=tf.uint16)
    case("DecodeBmp", contents=bmp(5, 3, 3, 3), channels=1)
    case("DecodeBmp", contents=bmp(5, 3, 3, 3)[:-1])
    case("DecodeBmp", contents=bmp(5, 3, 3, 3)[:30])
    case("DecodeBmp", contents=bmp(5, 3, 2, 3))
    case("DecodeBmp", contents=bmp(0, 3, 3, 3))
    case("DecodePng", contents=bmp(5, 3, 3, 3))


def gif_image(left, top, width, height, indices, flags=0, colors=b""):
    """A GIF image in 5-bit LZW codes, with clear codes before the code size grows."""
    bits = value = 0
    out = bytearray()

    def put(code):
        nonlocal bits, value
        value |= code << bits
        bits += 5
        while bits >= 8:
            out.append(value & 255)
            value >>= 8
            bits -= 8

    for i, index in enumerate(indices):
        if i % 8 == 0:
            put(16)
        put(index)
    put(17)
    out.append(value & 255)
    blocks = b"".join(bytes([len(out[i : i + 255])]) + bytes(out[i : i + 255]) for i in range(0, len(out), 255))
    return b"," + struct.pack("<HHHHB", left, top, width, height, flags) + colors + b"\x04" + blocks + b"\0"


def gif(width, height, *images):
    colors = bytes((i * 37) % 256 for i in range(48))
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF3, 0, 0) + colors + b"".join(images) + b";"


def gifs(case):
    full = gif_image(0, 0, 6, 5, [i % 16 for i in range(30)])
    part = gif_image(2, 1, 3, 2, [3, 4, 5, 6, 7, 8])
    clear = b"!\xf9\x04\x01\x00\x00\x05\x00"
    local = gif_image(0, 0, 6, 5, [i % 2 for i in range(30)], 0x80, b"abcdef")
    laced = gif_image(0, 0, 6, 5, [i % 16 for i in range(30)], 0x40)
    one, two = gif(6, 5, full), gif(6, 5, full, clear + part)
    for file in [one, two, gif(6, 5, part), gif(6, 5, local, laced), gif(6, 5, clear + full)]:
        case("DecodeGif", contents=file)
        case("DecodeImage", contents=file)
        case("DecodeImage", contents=file, expand_animations=False, dtype=tf.float32)
        case("DecodePng", contents=file)
        case("DecodeImage", contents=file, channels=1)
    case("DecodeGif", contents=one[:20], _says="Invalid GIF data (size 20), ")
    case("DecodeGif", contents=gif(6, 5), _says="Invalid GIF data")


def mixed(case):
    small = png(2, 2, 8, 2, rows_of(2, 2, 24, 9))
    for op in ["DecodeJpeg", "DecodePng", "DecodeGif", "DecodeBmp", "DecodeImage"]:
        case(op, contents=small)
    case("DecodeAndCropJpeg", contents=small, crop_window=[0, 0, 1, 1])
    case("DecodeBmp", contents=COLOR)
    case("DecodeBmp", contents=gif(1, 1, gif_image(0, 0, 1, 1, [3])))
