"""Ops on strings as bytes: raw numbers, serialized tensors, Base64, CSV."""

import numpy as np
import tensorflow as tf


def s(*values):
    return np.array(values, dtype=object)


BYTES = bytes(range(1, 17))
DTYPES = [
    tf.half, tf.float32, tf.float64, tf.int32, tf.uint16, tf.uint8, tf.int16, tf.int8, tf.int64, tf.bfloat16,
]  # fmt: skip


def record(case):
    raw(case)
    padded(case)
    tensors(case)
    base64(case)
    csv(case)
    csv_refusals(case)


def raw(case):
    for little in [True, False]:
        for dtype in DTYPES + [tf.complex64, tf.complex128]:
            case("DecodeRaw", bytes=s(BYTES, BYTES[::-1]), out_type=dtype, little_endian=little)
        case("DecodeRaw", bytes=s(b"\0\1", b"\1\0"), out_type=tf.bool, little_endian=little)
    case("DecodeRaw", bytes=BYTES, out_type=tf.int32)
    case("DecodeRaw", bytes=b"", out_type=tf.int32)
    case("DecodeRaw", bytes=np.array([], "S"), out_type=tf.int32)
    case("DecodeRaw", bytes=s(BYTES, b""), out_type=tf.int32)
    case("DecodeRaw", bytes=b"abc", out_type=tf.int32)


def padded(case):
    for dtype in DTYPES:
        if dtype != tf.half:
            case("DecodePaddedRaw", input_bytes=s(BYTES[:8], BYTES), fixed_length=8, out_type=dtype)
    short = s(b"abcd", b"ef", b"")
    case("DecodePaddedRaw", input_bytes=short, fixed_length=4, out_type=tf.uint8)
    case("DecodePaddedRaw", input_bytes=short.reshape(3, 1), fixed_length=2, out_type=tf.uint8)
    case("DecodePaddedRaw", input_bytes=s(b"abcd"), fixed_length=4, out_type=tf.int16, little_endian=False)
    case("DecodePaddedRaw", input_bytes=short, fixed_length=3, out_type=tf.int16)
    case("DecodePaddedRaw", input_bytes=short, fixed_length=0, out_type=tf.int16)
    case("DecodePaddedRaw", input_bytes=short, fixed_length=[2], out_type=tf.int16)


def tensors(case):
    for value in [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.int64(-3),
        s(b"a", b"", b"ccc"),
        np.array([True, False]),
        np.zeros([0, 2], np.int32),
        np.array(b"x", dtype=object),
        np.array([1 + 2j], np.complex64),
    ]:
        case("SerializeTensor", tensor=value)
        serialized = tf.io.serialize_tensor(tf.constant(value)).numpy()
        case("ParseTensor", serialized=serialized, out_type=tf.constant(value).dtype)
        case("ParseTensor", serialized=serialized, out_type=tf.uint16)
        proto = tf.make_tensor_proto(value).SerializeToString()
        case("ParseTensor", serialized=proto, out_type=tf.constant(value).dtype)
    case("ParseTensor", serialized=b"\xff\xff", out_type=tf.float32, _says="Could not parse `serialized`")
    case("ParseTensor", serialized=s(b""), out_type=tf.float32)


def base64(case):
    texts = s(b"", b"a", b"ab", b"abc", b"abcd", bytes(range(250, 256)))
    case("EncodeBase64", input=texts)
    case("EncodeBase64", input=texts, pad=True)
    for text in [b"", b"YQ", b"YQ==", b"YWI=", b"YWI", b"YWJj", b"-_-_", b"YR", b"YQ=", b"Y", b"+/", b"YQ==YQ==",
                 b"====", b"=", b"Y===", b"YWJjZ", b"YW Jj"]:  # fmt: skip
        case("DecodeBase64", input=text, _says=None)


def csv(case):
    def decode(records, defaults, **attrs):
        case("DecodeCSV", records=records, record_defaults=defaults, **attrs)

    numbers = [np.array([1], np.int32), np.array([2], np.int64), np.array([3.5], np.float32), np.array([4.5], np.float64)]
    decode(s(b"1,2,3,4", b",,,", b" 5 ,6,-1e3,.5"), numbers)
    decode(s(b"NA,NA,NA,NA", b"1,2,3,NA"), numbers, na_value="NA")
    texts = [s(b"x"), s(b"y")]
    decode(s(b'a,b', b'"a,b",c', b'"q""q",', b',"x"', b'"",""'), texts)
    decode(s(b"a|b", b"|"), texts, field_delim="|")
    decode(s(b'"a,b', b'a"b,"c"'), texts, use_quote_delim=False)
    decode(s(b"\r\na,b", b"a,\n"), texts)
    decode(s(b"a,b,c,d", b"1,2,3,4"), texts, select_cols=[1, 3])
    decode(s(b"a,b,c,", b",,,"), texts, select_cols=[2, 3])
    decode(np.array(b"a,b", dtype=object), texts)
    decode(s(b"a,b").reshape(1, 1), texts)


def csv_refusals(case):
    def decode(records, defaults, **attrs):
        case("DecodeCSV", records=records, record_defaults=defaults, **attrs)

    texts = [s(b"x"), s(b"y")]
    required = np.array([], "S")
    decode(s(b"a"), texts)
    decode(s(b"a,b,c"), texts)
    decode(s(b""), texts)
    decode(s(b"a,"), [required, required])
    decode(s(b"1,x"), [np.array([1], np.int32), np.array([1], np.int32)])
    decode(s(b"1.5,1"), [np.array([1], np.int64), np.array([1], np.int32)])
    decode(s(b"1,nope"), [np.array([1], np.float32), np.array([1], np.float32)])
    decode(s(b'a"b,c'), texts)
    decode(s(b'"a"b,c'), texts)
    decode(s(b'"a,c'), texts)
    decode(s(b"a\n,c"), texts)
    decode(s(b"a,c"), [s(b"x", b"y"), s(b"z")])
    decode(s(b"a,c"), texts, field_delim="::")
    decode(s(b"a,c"), texts, select_cols=[1])
    decode(s(b"a,c"), texts, select_cols=[1, 0])
    decode(s(b"a"), texts, select_cols=[0, 2])
