"""JPEG of every process, with every option, whole and damaged: pixels and refusals are libjpeg-turbo's."""

import pathlib
import random

FILES = pathlib.Path(__file__).parent.parent / "files/jpeg"
EOI = b"\xff\xd9"
EXACT = "INTEGER_ACCURATE"


def record(case):
    for path in sorted(FILES.glob("*.jpg")):
        whole(case, path.stem, path.read_bytes())
        damaged(case, path.stem, path.read_bytes())
    limits(case)


def whole(case, name, file):
    for method in ["INTEGER_FAST", EXACT]:
        case("DecodeJpeg", contents=file, dct_method=method, _label=name)
        case("DecodeJpeg", contents=file, dct_method=method, fancy_upscaling=False, _label=name)
    for ratio in [2, 4, 8]:
        case("DecodeJpeg", contents=file, ratio=ratio, _label=name)
    case("DecodeJpeg", contents=file, channels=1, _label=name)
    case("DecodeJpeg", contents=file, channels=3, _label=name)
    for window in [[0, 0, 5, 3], [3, 1, 9, 3], [8, 2, 7, 1], [1, 0, 13, 4]]:
        case("DecodeAndCropJpeg", contents=file, crop_window=window, _label=name)
    case("DecodeAndCropJpeg", contents=file, crop_window=[3, 1, 2, 1], ratio=2, dct_method=EXACT, _label=name)
    case("DecodeAndCropJpeg", contents=file, crop_window=[0, 0, 100, 3], _label=name)


def starts_of_scans(file):
    return [i for i in range(len(file) - 1) if file[i : i + 2] == b"\xff\xda"]


def damaged(case, name, file):
    draw = random.Random(name)
    scans = starts_of_scans(file)
    first = scans[0] + 14
    cuts = [first, len(file) - 2] + [draw.randrange(first, len(file) - 2) for _ in range(3)]
    for cut in cuts:
        part = file[:cut]
        case("DecodeJpeg", contents=part, _label=name)
        case("DecodeJpeg", contents=part, acceptable_fraction=0.25, _label=name)
        case("DecodeJpeg", contents=part + EOI, _label=name)
        # Stock never ends where fill bytes are at the end of a file to be recovered.
        if part[-1] != 0xFF:
            case("DecodeJpeg", contents=part, try_recover_truncated=True, _label=name)
    for cut in scans[1:4]:
        case("DecodeJpeg", contents=file[:cut] + EOI, channels=3 if "cmyk" in name else 0, _label=name)
        case("DecodeAndCropJpeg", contents=file[:cut] + EOI, crop_window=[5, 3, 9, 7], _label=name)
    for _ in range(6):
        broken = bytearray(file)
        for _ in range(draw.randint(1, 3)):
            broken[draw.randrange(first, len(file) - 2)] ^= 1 << draw.randrange(8)
        case("DecodeJpeg", contents=bytes(broken), _label=name)
    for marker in [0xD0, 0xD5, 0xC4, 0x10]:
        at = draw.randrange(first, len(file) - 2)
        case("DecodeJpeg", contents=file[:at] + bytes([0xFF, marker]) + file[at:], _label=name)
    at = draw.randrange(2, first)
    case("DecodeJpeg", contents=file[:at] + bytes([file[at] ^ 1]) + file[at + 1 :], _label=name)


def limits(case):
    file = (FILES / "progressive_gray.jpg").read_bytes()
    last = starts_of_scans(file)[-1]
    case("DecodeJpeg", contents=file[:-2] + file[last:-2] * 100 + EOI, _label="many scans")
    case("DecodeJpeg", contents=file + b"garbage", _label="garbage after the image")
