"""Ops on strings: formatting of numbers, splitting, joining, hashing."""

import numpy as np
import tensorflow as tf


def s(*values):
    return np.array(values, dtype=object)


TEXTS = s(b"", b"abc", b" A b\tC \n", "Größe ÄÖÜ ß".encode(), b"\xff\xfe", "日本語 text".encode(), b"a\0b")


def record(case):
    texts(case)
    substrings(case)
    joins(case)
    numbers(case)
    as_string(case)
    splits(case)
    hashes(case)


def texts(case):
    for unit in ["BYTE", "UTF8_CHAR"]:
        case("StringLength", input=TEXTS, unit=unit)
    case("StringLength", input=TEXTS[1:5].reshape(2, 2))
    case("StringLength", input=np.array([], dtype=object).astype("S"))
    for op in ["StringLower", "StringUpper"]:
        case(op, input=TEXTS)
        case(op, input=s(*[t for t in TEXTS if t != b"\xff\xfe"]), encoding="utf-8")
        case(op, input=TEXTS, encoding="latin-1")
    case("StringStrip", input=TEXTS)
    case("StringStrip", input=s(b"\x0b\x0c\r x \0 "))


def substrings(case):
    word = s(b"hello", b"world!")
    for pos, length in [(0, 2), (1, 100), (-3, 2), (5, 1), (2, 0), (2, -1), (-5, 5)]:
        case("Substr", input=word, pos=pos, len=length)
        case("Substr", input="日本語x".encode(), pos=pos, len=length, unit="UTF8_CHAR", _says=None)
    case("Substr", input=word, pos=6, len=1)
    case("Substr", input=word, pos=-7, len=1)
    case("Substr", input=word, pos=6, len=1, unit="UTF8_CHAR")
    case("Substr", input=word, pos=[1, 2], len=[1, 3])
    case("Substr", input=b"hello", pos=[1, 2], len=[1, 3])
    case("Substr", input=word, pos=[[1], [2]], len=[[1], [3]])
    case("Substr", input=word, pos=[[1], [9]], len=[[1], [3]])
    case("Substr", input=word, pos=[1, 2, 3], len=[1, 3, 1])
    case("Substr", input=word, pos=[1, 2], len=[1])
    case("Substr", input=word, pos=[[[1]]], len=[[[1]]])
    case("Substr", input=word, pos=np.array([0], np.int64), len=np.array([2], np.int64))


def joins(case):
    words = s(b"a", b"", b"c")
    case("StringJoin", inputs=[words, words], separator="-")
    case("StringJoin", inputs=[words, np.array(b"x", dtype=object)], separator="")
    case("StringJoin", inputs=[words])
    case("StringJoin", inputs=[words, words[:2]])
    case("StringJoin", inputs=[words, words.reshape(1, 3)])
    matrix = s(b"a", b"b", b"c", b"d", b"e", b"f").reshape(2, 3)
    for axes in [[0], [1], [0, 1], [1, 0], [-1], [-2, -1], np.zeros([0], np.int32), 1]:
        for keep in [False, True]:
            case("ReduceJoin", inputs=matrix, reduction_indices=axes, keep_dims=keep, separator=",")
    case("ReduceJoin", inputs=matrix, reduction_indices=[2])
    case("ReduceJoin", inputs=matrix, reduction_indices=[0, -2])
    case("ReduceJoin", inputs=matrix[:, :0], reduction_indices=[1])


def numbers(case):
    texts = [
        "1", "+1", "-1", " 1 ", "\t2\n", "", "  ", "1.5", "1.", "-.5", ".", "1e3", "1E+3", "1e",
        "0x1F", "0X1p3", "0x1.8", "inf", "-INF", "+inf", "infinity", "nan", "nan(1)", "1_0", "1f",
        "1.0junk", "- 1", "0" * 40 + "1", "1" * 100, "2147483647", "2147483648", "-2147483648",
        "-2147483649", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "1e-400",
        "3.4028236e38", "1e39", "1\0", "0.1234567890123456789012345678", "\x0b1", "--1", "+-1", "-0",
        "1 2", "00x1", "1.00000017881393432617187499", "8.589973e9",
    ]  # fmt: skip
    for dtype in [tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32, tf.uint64]:
        for text in texts:
            case("StringToNumber", string_tensor=text.encode(), out_type=dtype)
        case("StringToNumber", string_tensor=s(b"1", b"2", b"3"), out_type=dtype)


def as_string(case):
    floats = np.array(
        [0, -0.0, 1, -1.5, 3.14159265, 1e10, 1.5e-7, 123456.789, 2.5, 0.5, 1e-5, 999999.5, 1e300,
         np.inf, -np.inf, np.nan]
    )  # fmt: skip
    for dtype in [np.float16, tf.bfloat16.as_numpy_dtype, np.float32, np.float64]:
        with np.errstate(over="ignore"):
            x = floats.astype(dtype)
        case("AsString", input=x)
        case("AsString", input=x, precision=0)
        case("AsString", input=x, precision=3, width=12, fill="0")
        case("AsString", input=x, scientific=True)
        case("AsString", input=x, scientific=True, precision=0, fill="#")
        case("AsString", input=x, shortest=True)
        case("AsString", input=x, shortest=True, precision=3, fill="#")
        case("AsString", input=x, shortest=True, precision=10)
    for fill in ["", " ", "+", "-", "0", "#"]:
        case("AsString", input=floats, width=10, fill=fill)
        case("AsString", input=np.array([-12, 0, 7], np.int32), width=6, fill=fill if fill != "#" else "")
    for dtype in [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]:
        case("AsString", input=np.array([np.iinfo(dtype).min, 5, np.iinfo(dtype).max], dtype))
    case("AsString", input=np.array([True, False]))
    case("AsString", input=np.array([1 + 2j, -0.5j], np.complex64), precision=2)
    case("AsString", input=np.array([1 + 2j, -0.5j], np.complex128), shortest=True)
    case("AsString", input=s(b"ab", b""))
    case("AsString", input=3, precision=2)
    case("AsString", input=3, scientific=True)
    case("AsString", input=3.0, scientific=True, shortest=True)
    case("AsString", input=3.0, fill="ab", width=5)
    case("AsString", input=3.0, fill="x", width=5)


def splits(case):
    texts = s(b"a b  c ", b"", b"abc", b" x", b"a,b,,c,")
    for sep in [b"", b" ", b",", b", ", b"bc"]:
        for maxsplit in [-1, 0, 1, 2]:
            case("StringSplitV2", input=texts, sep=sep, maxsplit=maxsplit)
        for skip in [True, False]:
            case("StringSplit", input=texts, delimiter=sep, skip_empty=skip)
    case("StringSplitV2", input=b"a b", sep=b" ")
    case("StringSplitV2", input=texts, sep=s(b" "))
    case("StringSplit", input=texts, delimiter=s(b" "))
    case("StringSplitV2", input=np.array([], dtype="S"), sep=b"")


def hashes(case):
    texts = s(*[bytes(range(n)) for n in list(range(0, 40)) + [63, 64, 65, 127, 128, 129, 200]])
    for buckets in [1, 10, 2**63 - 1]:
        case("StringToHashBucketFast", input=texts, num_buckets=buckets)
        case("StringToHashBucketStrong", input=texts, num_buckets=buckets, key=[123, -4567])
        case("StringToHashBucket", string_tensor=texts, num_buckets=buckets)
    case("StringToHashBucketStrong", input=texts, num_buckets=5, key=[1])
