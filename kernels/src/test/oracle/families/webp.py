"""WebP files, whole and damaged, and animations put together of them: pixels and refusals are libwebp's."""

import pathlib
import random

import tensorflow as tf

FILES = pathlib.Path(__file__).parent.parent / "files/webp"
OPS = ["DecodeWebP", "DecodeImage", "DecodeJpeg", "DecodePng", "DecodeGif", "DecodeBmp"]
ANIMATION, ALPHA = 2, 16
NO_BLEND, ERASE = 2, 1


def record(case):
    files = {path.stem: path.read_bytes() for path in sorted(FILES.glob("*.webp"))}
    stills = {name: file for name, file in files.items() if not name.startswith("animated")}
    for name, file in stills.items():
        case("DecodeWebP", contents=file, _label=name)
    for name in ["lossy_37x45", "lossy_alpha", "palette_2"]:
        attributes(case, name, stills[name])
    for name in ["lossy_16x16", "lossy_alpha", "lossless_1x1", "lossless_50", "palette_50"]:
        damaged(case, name, stills[name])
    containers(case, stills)
    alpha_filters(case, stills)
    for name in ["animated", "animated_lossless"]:
        case("DecodeWebP", contents=files[name], _label=name)
        attributes(case, name, files[name])
        damaged_animation(case, name, files[name])
    animations(case, stills)


def attributes(case, name, file):
    for op in OPS:
        case(op, contents=file, _label=name)
        for channels in [1, 2, 3, 4] if op != "DecodeGif" else []:
            case(op, contents=file, channels=channels, _label=name)
    for dtype in [tf.uint16, tf.float32]:
        case("DecodeImage", contents=file, dtype=dtype, _label=name)
    case("DecodePng", contents=file, dtype=tf.uint16, _label=name)
    case("DecodeImage", contents=file, expand_animations=False, _label=name)
    case("DecodeAndCropJpeg", contents=file, crop_window=[0, 0, 1, 1], _label=name)


def chunks(file):
    """The chunks of a file, by tag; the later of two with the same tag."""
    at, result = 12, {}
    while at < len(file):
        size = int.from_bytes(file[at + 4 : at + 8], "little")
        result[file[at : at + 4]] = file[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
    return result


def chunk(tag, data):
    return tag + len(data).to_bytes(4, "little") + data + b"\0" * (len(data) % 2)


def riff(*parts):
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def canvas(flags, width, height):
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]) + u24(width - 1) + u24(height - 1))


def u24(value):
    return value.to_bytes(3, "little")


def pictures(file):
    """The chunks of a still image: that of its alpha, if it has one, and of its colors."""
    return b"".join(chunk(t, d) for t, d in chunks(file).items() if t in (b"ALPH", b"VP8 ", b"VP8L"))


def frame(x, y, flags, file, more=b""):
    header = u24(x // 2) + u24(y // 2) + u24(0) + u24(0) + u24(50) + bytes([flags])
    return chunk(b"ANMF", header + pictures(file) + more)


ANIM = chunk(b"ANIM", bytes(6))


def animation(width, height, *frames):
    return riff(canvas(ANIMATION | ALPHA, width, height), ANIM, *frames)


def damaged(case, name, file):
    chance = random.Random(name)
    for cut in sorted({12, 13, 15, 20, 24, 29, 30, 31, 40, len(file) // 2, len(file) - 2, len(file) - 1}):
        if cut < len(file):
            case("DecodeWebP", contents=file[:cut], _label=f"{name} cut to {cut}")
            shorter = file[:4] + (cut - 8).to_bytes(4, "little") + file[8:cut]
            case("DecodeWebP", contents=shorter, _label=f"{name} cut to {cut}, with that size")
    case("DecodeWebP", contents=file + b"and more", _label=f"{name} and more")
    for _ in range(30):
        at = chance.randrange(12, len(file))
        wrong = bytearray(file)
        wrong[at] ^= 1 << chance.randrange(8)
        case("DecodeWebP", contents=bytes(wrong), _label=f"{name} with a wrong bit in byte {at}")


def containers(case, stills):
    for name, tag, width, height in [
        ("lossy_37x45", b"VP8 ", 45, 37), ("lossless_alpha", b"VP8L", 33, 29), ("lossless_50", b"VP8L", 45, 37)
    ]:  # fmt: skip
        data = chunks(stills[name])[tag]
        image = chunk(tag, data)
        other = chunk(b"ICCP", b"profile")
        files = {
            "canvas": riff(canvas(0, width, height), image),
            "canvas with alpha": riff(canvas(ALPHA, width, height), image),
            "other chunks": riff(canvas(0, width, height), other, image, chunk(b"EXIF", b"x")),
            "wrong canvas": riff(canvas(0, width + 1, height), image),
            "no canvas, other chunk": riff(other, image),
            "canvas alone": riff(canvas(ALPHA, width, height)),
            "canvas twice": riff(canvas(0, width, height), canvas(0, width, height), image),
            "no chunk": riff(data),
            "animation without frames": riff(canvas(ANIMATION, width, height), image),
            "large canvas": riff(canvas(0, 1 << 24, 1 << 24), image),
            "long canvas": riff(chunk(b"VP8X", bytes(12)), image),
            "size too small": riff(image)[:4] + b"\x14\0\0\0" + riff(image)[8:],
            "size too large": riff(image)[:4] + b"\0\1\1\0" + riff(image)[8:],
            "alpha, lossless or not": riff(canvas(ALPHA, width, height), chunk(b"ALPH", b"\0" + data), image),
            "alpha cut": riff(canvas(ALPHA, width, height), chunk(b"ALPH", b"\0"), image),
            "alpha short": riff(canvas(ALPHA, width, height), chunk(b"ALPH", b"\0\1\2"), image),
            "alpha of an unknown method": riff(canvas(ALPHA, width, height), chunk(b"ALPH", b"\2" + data), image),
        }
        for label, file in files.items():
            for op in ["DecodeWebP", "DecodeImage"]:
                case(op, contents=file, _label=f"{name}: {label}")
    case("DecodeWebP", contents=b"RIFF\4\0\0\0WEBP")
    case("DecodeWebP", contents=b"RIFF\4\0\0\0WEBPV")
    case("DecodeWebP", contents=b"RIFF\4\0\0\0WAVEfmt ")


def alpha_filters(case, stills):
    lossy = chunks(stills["lossy_alpha_smooth"])[b"VP8 "]
    values = bytes((x * x + 3 * y) // 5 % 256 for y in range(24) for x in range(31))
    coded = chunks(stills["lossy_alpha_smooth"])[b"ALPH"][1:]
    for bits in range(4):
        for kind, data in [(0, values), (1, coded), (16, values), (64, values)]:
            alpha = chunk(b"ALPH", bytes([bits << 2 | kind]) + data)
            file = riff(canvas(ALPHA, 31, 24), alpha, chunk(b"VP8 ", lossy))
            case("DecodeWebP", contents=file, _label=f"alpha {kind} with filter {bits}")
    for kind in [2, 32, 128]:
        alpha = chunk(b"ALPH", bytes([kind]) + values)
        file = riff(canvas(ALPHA, 31, 24), alpha, chunk(b"VP8 ", lossy))
        case("DecodeWebP", contents=file, _label=f"alpha of kind {kind}")


def animations(case, stills):
    clear, opaque, lossy = stills["lossless_alpha"], stills["lossless_50"], stills["lossy_alpha"]
    small, palette = stills["lossy_16x16"], stills["palette_10"]
    for first in [0, ERASE, NO_BLEND, ERASE | NO_BLEND]:
        for second in [0, ERASE, NO_BLEND, ERASE | NO_BLEND]:
            frames = [
                frame(0, 0, 0, lossy),
                frame(6, 4, first, clear),
                frame(12, 14, second, palette),
                frame(2, 2, 0, clear),
                frame(20, 20, 0, small),
            ]
            case("DecodeWebP", contents=animation(46, 38, *frames), _label=f"flags {first} and {second}")
            full = [frame(0, 0, first, lossy), frame(0, 0, second, lossy), frame(4, 6, 0, clear)]
            case("DecodeWebP", contents=animation(45, 37, *full), _label=f"full frames, {first} and {second}")
    two = [frame(0, 0, 0, opaque), frame(0, 0, 0, small)]
    files = {
        "one frame": animation(45, 37, frame(0, 0, 0, opaque)),
        "one frame, smaller": animation(50, 40, frame(2, 2, 0, clear)),
        "frame outside": animation(45, 37, frame(2, 0, 0, opaque)),
        "second frame outside": animation(45, 37, frame(0, 0, 0, opaque), frame(40, 30, 0, small)),
        "no frames": animation(45, 37),
        "empty frame": animation(45, 37, chunk(b"ANMF", bytes(16)), *two),
        "other chunks": animation(45, 37, chunk(b"EXIF", b"x"), *two, chunk(b"XMP ", b"yz")),
        "other chunk in a frame": animation(45, 37, frame(0, 0, 0, small, chunk(b"ABCD", b"yz")), *two),
        "alpha after the image": animation(45, 37, frame(0, 0, 0, small, chunk(b"ALPH", b"yz")), *two),
        "two images in a frame": animation(45, 37, frame(0, 0, 0, small, pictures(small)), *two),
        "image beside frames": animation(45, 37, *two, pictures(small)),
        "settings twice": animation(45, 37, ANIM, *two),
        "settings late": riff(canvas(ANIMATION | ALPHA, 45, 37), *two, ANIM),
        "settings short": riff(canvas(ANIMATION | ALPHA, 45, 37), chunk(b"ANIM", b"abc"), *two),
        "unknown flag": riff(canvas(ANIMATION | ALPHA | 1, 45, 37), ANIM, *two),
        "short frame": animation(45, 37, chunk(b"ANMF", bytes(8)), *two),
        "alpha alone": animation(45, 37, *two, chunk(b"ANMF", bytes(16) + chunk(b"ALPH", b"\0ab"))),
        "alpha of a lossless frame": animation(
            45, 37, chunk(b"ANMF", bytes(16) + chunk(b"ALPH", b"\0ab") + pictures(clear))
        ),
        "frame that passes its chunk": animation(
            45, 37, chunk(b"ANMF", bytes(16)) + pictures(small), *two
        ),
        "damaged frame": animation(45, 37, *two, frame(0, 0, 0, small[:-12] + bytes(12)), *two),
        "a rest": riff(canvas(ANIMATION | ALPHA, 45, 37), ANIM, *two, b"abcd"),
    }
    for label, file in files.items():
        case("DecodeWebP", contents=file, _label=label)
        case("DecodeImage", contents=file, expand_animations=False, _label=label)


def damaged_animation(case, name, file):
    chance = random.Random(name)
    for cut in [29, 30, 38, 44, 60, 70, len(file) // 2, len(file) - 1]:
        case("DecodeWebP", contents=file[:cut], _label=f"{name} cut to {cut}")
        shorter = file[:4] + (cut - 8).to_bytes(4, "little") + file[8:cut]
        case("DecodeWebP", contents=shorter, _label=f"{name} cut to {cut}, with that size")
    for _ in range(40):
        at = chance.randrange(44, len(file))
        wrong = bytearray(file)
        wrong[at] ^= 1 << chance.randrange(8)
        case("DecodeWebP", contents=bytes(wrong), _label=f"{name} with a wrong bit in byte {at}")
