"""Ops on text: encodings, StringFormat, n-grams, segment joins, decompression."""

import gzip
import struct
import zlib

import numpy as np
import tensorflow as tf

from values import FLOATS, INTEGERS, grid, i32, i64


def s(*values):
    return np.array(values, dtype=object)


TEXT = "aé€😀\n\x1f\x7f\u0000z"
BAD_UTF8 = [
    b"\xf0\x9f\x98", b"\xc0\x80", b"\xe2\x82", b"\xe2\x82a", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
    b"\xe0\x80\x80", b"a\xe2\x28\xa1", b"\xed\xa0\x80", b"\x80\xff\xfe", b"\xf0\x90\x80x", b"\xef\xbb\xbfa",
]
BAD_UTF16 = [b"\xd8\x00\x00a\xdc\x00\xd8\x3d", b"a", b"\xfe\xff\x00a", b"\xff\xfea\x00b\x00", b"\x00a\xd8", b"\xd8\x3d\xde"]
BAD_UTF32 = [
    b"\x00\x11\x00\x00\x00\x00\xd8\x00\x00\x00\x00", b"\xff\xfe\x00\x00a\x00\x00\x00",
    b"\x00\x00\xfe\xff\x00\x00\x00a", b"\x00\x00\x00",
]
CODES = {
    "UTF-8": ([TEXT.encode()], BAD_UTF8),
    "utf8": ([TEXT.encode()], []),
    "UTF-16": ([TEXT.encode("utf-16-be"), TEXT.encode("utf-16")], BAD_UTF16),
    "UTF-16-BE": ([TEXT.encode("utf-16-be")], BAD_UTF16),
    "UTF-16LE": ([TEXT.encode("utf-16-le")], BAD_UTF16),
    "UTF-32": ([TEXT.encode("utf-32-be"), TEXT.encode("utf-32")], BAD_UTF32),
    "UTF-32-BE": ([TEXT.encode("utf-32-be")], BAD_UTF32),
    "UTF-32LE": ([TEXT.encode("utf-32-le")], BAD_UTF32),
    "US-ASCII": ([b"abc\n\x7f"], [b"a\x80\xffb"]),
    "ISO-8859-1": ([bytes(range(256))], []),
    "latin-1": ([bytes(range(256))], []),
    "windows-1252": ([b"a\x80\x93\xe9"], []),
    "KOI8-R": ([b"abc\xc1\xd2"], []),
    "SHIFT_JIS": (["日本語 text".encode("shift_jis")], []),
    "EUC-JP": (["日本語 text".encode("euc_jp")], []),
    "GBK": (["中文 text".encode("gbk")], []),
    "Big5": (["中文 text".encode("big5")], []),
}


def record(case):
    decode(case)
    transcode(case)
    encode(case)
    scripts(case)
    formats(case)
    segments(case)
    ngrams(case)
    compressed(case)


def decode(case):
    for op in ["UnicodeDecode", "UnicodeDecodeWithOffsets"]:

        def text(strings, encoding, **options):
            case(op, input=s(*strings), input_encoding=encoding, **options)

        for encoding, (good, bad) in CODES.items():
            text(good + bad + [b""], encoding)
            for errors in ["replace", "ignore"]:
                for control in [False, True]:
                    text(
                        good + bad, encoding, errors=errors, replacement_char=ord("?"),
                        replace_control_characters=control,
                    )
            text(good, encoding, errors="strict", replace_control_characters=True)
            for one in bad[:3]:
                text(good + [one], encoding, errors="strict")
        if op == "UnicodeDecode":  # stock dies of int32 splits with offsets
            text([b"ab", b"", b"c"], "UTF-8", Tsplits=tf.int32)
        case(op, input=s(b"ab", b"c", b"", b"def").reshape(2, 2), input_encoding="UTF-8")
        case(op, input=np.array(b"ab", dtype=object), input_encoding="UTF-8")
        case(op, input=s(b"x")[:0].astype("S"), input_encoding="UTF-8")
        text([b"a"], "x-foo")
        text([b"a"], "UTF-8", replacement_char=-1)
        text([b"a"], "UTF-8", replacement_char=0x110000)


def transcode(case):
    for output in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
        for encoding, (good, bad) in CODES.items():
            for errors in ["replace", "ignore"]:
                for control in [False, True]:
                    case(
                        "UnicodeTranscode", input=s(*good, *bad, b""), input_encoding=encoding,
                        output_encoding=output, errors=errors, replace_control_characters=control,
                    )
        case(
            "UnicodeTranscode", input=s(*BAD_UTF8), input_encoding="UTF-8", output_encoding=output,
            replacement_char=0x1F600,
        )
        case(
            "UnicodeTranscode", input=s(b"a\nb", b"c"), input_encoding="UTF-8",
            output_encoding=output, errors="strict",
        )
        case(
            "UnicodeTranscode", input=s(b"a\xff", b"c"), input_encoding="UTF-8",
            output_encoding=output, errors="strict",
        )
        case(
            "UnicodeTranscode", input=s(b"a\nb", b"c"), input_encoding="UTF-8", output_encoding=output,
            errors="strict", replace_control_characters=True,
        )


def encode(case):
    def text(values, splits, output="UTF-8", **options):
        case("UnicodeEncode", input_values=values, input_splits=splits, output_encoding=output, **options)

    values = i32(*[ord(c) for c in TEXT])
    bad = i32(97, -1, 0xD83D, 0xDE00, 0x110000, 98, 0xDC00)
    for output in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
        text(values, i64(0, 2, 2, len(values)), output)
        text(values, i32(0, 2, 2, len(values)), output)
        for errors in ["replace", "ignore", "strict"]:
            text(bad, i64(0, 3, 7), output, errors=errors)
        text(bad, i64(0, 7), output, replacement_char=0x1F600)
    text(i32(), i64(0))
    text(i32(), i64(0, 0, 0))
    text(i32(97, 98), i64(0, 1))
    text(i32(97, 98), i64(0, 3))
    text(i32(97, 98), i64(1, 2))
    text(i32(97, 98, 99), i64(0, 2, 1, 3))
    text(i32(97, 98), i64())


def scripts(case):
    case("UnicodeScript", input=np.arange(0, 0x110000, 89, dtype=np.int32))
    case("UnicodeScript", input=np.arange(0x3000, 0x3100, dtype=np.int32).reshape(16, 16))
    case("UnicodeScript", input=i32(-1, 0x110000, 0xD800, -(2**31), 2**31 - 1))


def formats(case):
    def text(*inputs, **options):
        case("StringFormat", inputs=list(inputs), **options)

    for dtype in INTEGERS + FLOATS + [np.bool_]:
        text(grid([2, 7], dtype))
        text(grid([], dtype))
    text(np.array([1e10, 1.5, np.nan, -0.0, np.inf, 0.1, 1 / 3], np.float32), summarize=9)
    text(np.array([1e300, 0.1, 1 / 3, 123456789.0]), summarize=9)
    text(s(b"a\"\n'\\", "é".encode(), b"\xff\x00\t"))
    text(grid([2, 3, 4], np.int32), summarize=1)
    text(grid([2, 3, 4], np.int32), summarize=2)
    text(grid([8, 8], np.int32))
    text(grid([2, 2, 2, 2], np.int32), summarize=-1)
    text(grid([3], np.int32), summarize=0)
    text(grid([0], np.int32))
    text(grid([2, 0], np.int32))
    text(grid([3], np.complex64))
    text(grid([5], np.complex64))
    text(grid([], np.complex64))
    text(np.float32(3), s(b"x"), template="a%sb%sc")
    text(template="none")
    text(np.int32(1), template="{} é", placeholder="{}")
    text(np.int32(1), template="ab", placeholder="")


def segments(case):
    def join(inputs, ids, count, separator="", **options):
        case(
            "UnsortedSegmentJoin", inputs=inputs, segment_ids=ids, num_segments=count,
            separator=separator, **options,
        )

    words = s(b"a", b"b", b"", b"d", b"e", b"")
    join(words, i32(0, 2, 0, 0, 2, 3), np.int32(5), "-")
    join(words, i64(5, 4, 3, 2, 1, 0), np.int64(6), ", ")
    join(words, i32(2, 2, 2, 2, 2, 2), np.int32(3), "+")
    join(words.reshape(2, 3), i32(1, 1), np.int32(2), ":")
    join(words.reshape(2, 3), i32(1, 0, 1, 1, 0, 0).reshape(2, 3), np.int32(2), ":")
    join(words.reshape(3, 2, 1), i32(1, 0, 1), np.int32(2), ":")
    join(words[:0].astype("S"), i32(), np.int32(2))
    join(words, i32(0, 2, 0, 0, 2, 5), np.int32(5))
    join(words, i32(0, 2, 0, 0, 2, -1), np.int32(5))
    says = "Segment dimension is 3 while input dimension is"
    join(words, i32(0, 2, 0), np.int32(5), _says=says, _shapes=False)
    join(words, np.int32(0), np.int32(5), _shapes=False)
    join(words, i32(0, 1, 2, 3, 4, 5).reshape(6, 1), np.int32(6), _shapes=False)
    join(words, i32(0, 0, 0, 0, 0, 0), np.int32(-1), _says="", _shapes=False)


def ngrams(case):
    def grams(data, splits, widths, left="", right="", pad=0, short=False, **options):
        case(
            "StringNGrams", data=data, data_splits=splits, separator="|", ngram_widths=widths,
            left_pad=left, right_pad=right, pad_width=pad, preserve_short_sequences=short, **options,
        )

    words = s(b"a", b"bb", b"c", b"d", b"ee", b"f", b"g")
    for splits in [i64(0, 7), i64(0, 4, 4, 5, 7), i32(0, 1, 2, 7)]:
        for widths in [[1], [2], [3], [2, 3], [9], [1, 5]]:
            for pad in [0, -1, 1, 2]:
                for short in [False, True]:
                    grams(words, splits, widths, "LP", "RP", pad, short)
    grams(words, i64(0, 7), [2])
    grams(words[:0].astype("S"), i64(0, 0, 0), [2])
    grams(words[:0].astype("S"), i64(0), [2])
    grams(words, i64(), [2])
    grams(words, i64(0, 7), [], short=True)
    grams(words, i64(0, 7), [], pad=-1, short=True)
    grams(words, i64(0, 7), [], pad=1, left="<", right=">", short=True)
    grams(words, i64(0, 7), [0])
    grams(words, i64(0, 7), [-1])
    grams(words, i64(1, 7), [2])
    grams(words, i64(0, 5, 3, 7), [2])
    grams(words, i64(0, 8), [2])
    grams(words, i64(0, 5), [2])


def zstandard(decode):
    """Frames made by hand (RFC 8878): a descriptor, the size of the contents, blocks, a checksum."""

    def frame(*blocks, descriptor=0x20, size=b"\5", end=b""):
        return b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + size + b"".join(blocks) + end

    def block(kind, size, content, last=True):
        return struct.pack("<I", size << 3 | kind << 1 | last)[:3] + content

    hello = block(0, 5, b"hello")
    skippable = struct.pack("<II", 0x184D2A50, 2) + b"ab"
    whole = frame(hello)
    decode([whole, frame(block(1, 5, b"x")), frame(block(0, 2, b"he", False), block(0, 3, b"llo"))], "ZSTD")
    decode([frame(block(0, 0, b""), size=b"\0")], "ZSTD")
    decode([frame(block(1, 100_000, b"x"), descriptor=0xA0, size=struct.pack("<I", 100_000))], "ZSTD")
    decode([whole + skippable], "ZSTD")
    for wrong in [
        b"", b"garbage", whole[:4], whole[:6], whole[:9], whole[:-2], whole + b"xx", whole + whole, skippable + whole,
        frame(hello, size=b"\6"), frame(hello, descriptor=0x24, end=bytes(4)), frame(block(3, 5, b"hello")),
        frame(hello, descriptor=0, size=b"\x58"),
    ]:  # fmt: skip
        decode([wrong], "ZSTD", _says="Failed to")


def compressed(case):
    plain = b"hello" * 10
    z = zlib.compress(plain)
    g = gzip.compress(plain, mtime=0)
    named = g[:3] + b"\x1c" + g[4:10] + b"\x03\x00abcname\x00comment\x00" + g[10:]

    def decode(value, kind, **options):
        case("DecodeCompressed", bytes=s(*value), compression_type=kind, **options)

    for kind in ["ZLIB", "GZIP"]:
        data = z if kind == "ZLIB" else g
        big = zlib.compress(bytes(100000)) if kind == "ZLIB" else gzip.compress(bytes(100000), mtime=0)
        decode([data, b"", big, data + data], kind)
        decode([b"garbage"], kind)
        decode([data[:-6]], kind)
        decode([data[:-10]], kind)
        decode([data[:4]], kind)
        decode([data[:1]], kind)
        decode([data + b"junk"], kind)
        decode([data[:-1] + b"x"], kind)
        decode([data[:10] + b"\xff\xff\xff\xff" + data[14:]], kind, _says="inflate() failed with error -3")
    decode([named], "GZIP")
    decode([g[:-5] + b"x" + g[-4:]], "GZIP")
    decode([z], "")
    decode([z], "FOO", _says="Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    zstandard(decode)
    case("DecodeCompressed", bytes=s(z, z, z, z).reshape(2, 2), compression_type="ZLIB")
    case("DecodeCompressed", bytes=np.array(z, dtype=object), compression_type="ZLIB")
