"""Fields of messages of all types, whole and damaged, and tf.Examples in JSON."""

import random

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool
from google.protobuf import message_factory

F = descriptor_pb2.FieldDescriptorProto

# The types of fields, with the dtypes that hold them and a default value.
TYPES = {
    "double": (F.TYPE_DOUBLE, [tf.float64], "2.5"),
    "float": (F.TYPE_FLOAT, [tf.float32, tf.float64], "-1.5"),
    "int64": (F.TYPE_INT64, [tf.int64], "-5000000000"),
    "uint64": (F.TYPE_UINT64, [tf.uint64], "77"),
    "int32": (F.TYPE_INT32, [tf.int32, tf.int64], "-7"),
    "fixed64": (F.TYPE_FIXED64, [tf.uint64], "78"),
    "fixed32": (F.TYPE_FIXED32, [tf.uint32, tf.uint64], "79"),
    "bool": (F.TYPE_BOOL, [tf.bool], "true"),
    "string": (F.TYPE_STRING, [tf.string], "a text"),
    "bytes": (F.TYPE_BYTES, [tf.string], "some bytes"),
    "uint32": (F.TYPE_UINT32, [tf.uint32, tf.uint64], "80"),
    "sfixed32": (F.TYPE_SFIXED32, [tf.int32, tf.int64], "-8"),
    "sfixed64": (F.TYPE_SFIXED64, [tf.int64], "-9"),
    "sint32": (F.TYPE_SINT32, [tf.int32, tf.int64], "-10"),
    "sint64": (F.TYPE_SINT64, [tf.int64], "-11"),
    "message": (F.TYPE_MESSAGE, [tf.string], None),
}
NUMBERS = [name for name in TYPES if name not in ("string", "bytes", "message")]


def field(message, name, number, kind, label=F.LABEL_OPTIONAL, **options):
    added = message.field.add(name=name, number=number, type=kind, label=label, **options)
    if kind == F.TYPE_MESSAGE:
        added.type_name = ".cases.Inner"
    return added


def file_of_cases():
    """proto2: a message with an optional, a defaulted, a repeated and a packed field of each type."""
    file = descriptor_pb2.FileDescriptorProto(name="cases.proto", package="cases", syntax="proto2")
    inner = file.message_type.add(name="Inner")
    field(inner, "x", 1, F.TYPE_INT32)
    cases = file.message_type.add(name="Cases")
    for i, (name, (kind, _, default)) in enumerate(TYPES.items()):
        field(cases, name, 1 + i, kind)
        field(cases, f"{name}s", 101 + i, kind, F.LABEL_REPEATED)
        if default:
            field(cases, f"{name}_default", 201 + i, kind, default_value=default)
        if name in NUMBERS:
            field(cases, f"{name}s_packed", 301 + i, kind, F.LABEL_REPEATED).options.packed = True
    field(cases.nested_type.add(name="Grp"), "x", 1, F.TYPE_INT32)
    cases.field.add(name="grp", number=400, type=F.TYPE_GROUP, label=F.LABEL_OPTIONAL, type_name=".cases.Cases.Grp")
    cases.extension_range.add(start=1000, end=2000)
    file.extension.add(
        name="added", number=1000, type=F.TYPE_INT64, label=F.LABEL_OPTIONAL, extendee=".cases.Cases"
    )
    required = file.message_type.add(name="Required")
    field(required, "x", 1, F.TYPE_INT32, F.LABEL_REQUIRED)
    return file


def file_of_proto3():
    file = descriptor_pb2.FileDescriptorProto(name="three.proto", package="three", syntax="proto3")
    three = file.message_type.add(name="Three")
    field(three, "a", 1, F.TYPE_INT32)
    field(three, "b", 2, F.TYPE_INT32, F.LABEL_REPEATED)
    field(three, "c", 3, F.TYPE_STRING, F.LABEL_REPEATED)
    return file


FILES = [file_of_cases(), file_of_proto3()]
SOURCE = b"bytes://" + descriptor_pb2.FileDescriptorSet(file=FILES).SerializeToString()


def message_class(name):
    pool = descriptor_pool.DescriptorPool()
    for file in FILES:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


Cases, Three = message_class("cases.Cases"), message_class("three.Three")


def full(seed):
    """A message with every field, some of them several times."""
    chance = random.Random(seed)
    message = Cases()
    values = {
        "double": lambda: chance.gauss(0, 1e10), "float": lambda: chance.gauss(0, 10),
        "int64": lambda: chance.getrandbits(63) - 2**62, "uint64": lambda: chance.getrandbits(64),
        "int32": lambda: chance.getrandbits(31) - 2**30, "fixed64": lambda: chance.getrandbits(64),
        "fixed32": lambda: chance.getrandbits(32), "bool": lambda: chance.random() < 0.5,
        "string": lambda: "text %d" % chance.getrandbits(9), "bytes": lambda: chance.randbytes(4) + b"\0x",
        "uint32": lambda: chance.getrandbits(32), "sfixed32": lambda: chance.getrandbits(31) - 2**30,
        "sfixed64": lambda: chance.getrandbits(63) - 2**62, "sint32": lambda: chance.getrandbits(31) - 2**30,
        "sint64": lambda: chance.getrandbits(63) - 2**62,
    }  # fmt: skip
    for name, value in values.items():
        setattr(message, name, value())
        setattr(message, f"{name}_default", value())
        getattr(message, f"{name}s").extend(value() for _ in range(seed % 4))
        if name in NUMBERS:
            getattr(message, f"{name}s_packed").extend(value() for _ in range((seed + 1) % 4))
    message.message.x = chance.getrandbits(9)
    for _ in range(seed % 3):
        message.messages.add(x=chance.getrandbits(9))
    return message


def decode(case, messages, names, dtypes, label="", message_type="cases.Cases", source=SOURCE, **attrs):
    given = np.array(messages, object)
    case(
        "DecodeProtoV2", bytes=given, message_type=message_type, field_names=names, output_types=dtypes,
        descriptor_source=source, _label=label, **attrs,
    )  # fmt: skip


def encode(case, sizes, values, names, label="", message_type="cases.Cases", source=SOURCE):
    case(
        "EncodeProto", sizes=np.array(sizes, np.int32), values=values, field_names=names,
        message_type=message_type, descriptor_source=source, _label=label,
    )  # fmt: skip


def record(case):
    decodes(case)
    damaged(case)
    formats(case)
    refusals(case)
    encodes(case)
    local(case)
    json(case)


def decodes(case):
    messages = [full(i).SerializeToString() for i in range(6)] + [b""]
    for name, (_, dtypes, default) in TYPES.items():
        for dtype in dtypes:
            for suffix in ["", "s", "_default" if default else "", "s_packed" if name in NUMBERS else ""]:
                decode(case, messages, [name + suffix], [dtype], f"{name}{suffix} as {dtype.name}")
    names = ["strings", "double", "int32s_packed", "bool"]
    decode(case, np.reshape(messages[:6], [2, 3]), names, [tf.string, tf.float64, tf.int64, tf.bool], "a matrix")
    decode(case, messages[3], names, [tf.string, tf.float64, tf.int64, tf.bool], "a scalar")
    decode(case, messages, ["int32", "int32"], [tf.int32, tf.int64], "one field twice")
    extended = b"\xc0\x3e\x05" + messages[2]
    decode(case, [extended, b""], ["cases.added", "int32"], [tf.int64, tf.int32], "an extension")
    # One field in every way that the wire has for it.
    unpacked, packed = b"\xc8\x06\x05\xc8\x06\x06", b"\xca\x06\x03\x07\xff\x01"
    for i, message in enumerate([unpacked + packed, packed + unpacked, packed + b"\xca\x06\x00", b"\xca\x06\x00"]):
        decode(case, [message], ["int32s"], [tf.int64], f"packed or not {i}")
    negative = b"\xca\x06\x0a" + b"\xff" * 9 + b"\x01" + b"\xc8\x06" + b"\xff" * 9 + b"\x01"
    for dtype in [tf.int32, tf.int64]:
        decode(case, [negative], ["int32s"], [dtype], "negative, packed or not")
    for i, message in enumerate([b"\x28\x05\x28\x06", b"\x2a\x02\x05\x06", b"\x2a\x00", b"\x28\x05\x2a\x01\x06"]):
        decode(case, [message], ["int32"], [tf.int32], f"packed where nothing repeats {i}")
    ordered, disordered = b"\x28\x05\x78\x06", b"\x78\x06\x28\x05"
    for i, message in enumerate([ordered, disordered, ordered + ordered, disordered + b"\x20\x01"]):
        decode(case, [message], ["int32", "sint64"], [tf.int32, tf.int64], f"disordered {i}")
    decode(case, [b"\x2d\x01\x02\x03\x04\x28\x05"], ["int32"], [tf.int32], "another wire type")
    decode(case, [b"\x40\x02\x40\x00\x40\xff\x02"], ["bool"], [tf.bool], "bools")


def damaged(case):
    group = b"\x83\x19\x08\x05\x84\x19"
    for i, message in enumerate([group, group + group, group[:4], b"\x82\x19\x01x", b"\x84\x19"]):
        decode(case, [b"", message], ["grp"], [tf.string], f"a group {i}", _any_message=i >= 2)
    message = full(3).SerializeToString()
    names, dtypes = ["strings", "int32s_packed", "messages", "float"], [tf.string, tf.int32, tf.string, tf.float32]
    chance = random.Random(1)
    for cut in sorted(chance.sample(range(1, len(message)), 20)):
        decode(case, [message[:cut]], names, dtypes, f"cut to {cut}", _any_message=True)
    for wrong in [b"\0", b"\x0c", b"\x2c", b"\x07", b"\x28", b"\x28\x80", b"\xca\x06\x01\x80", b"\x4a\xff\xff\xff\xff\x0f"]:
        decode(case, [b"", wrong], ["int32", "int32s", "string"], [tf.int32, tf.int32, tf.string], repr(wrong), _any_message=True)
    decode(case, [b"\xda\x06\x03abc"], ["fixed32s"], [tf.uint32], "fixed32 cut", _any_message=True)


def formats(case):
    text = 'int32: 5 strings: "a" strings: "b\\n" messages { x: 3 } unknown: 7'
    names, dtypes = ["int32", "strings", "messages"], [tf.int32, tf.string, tf.string]
    decode(case, [text[:-11]], names, dtypes, "text", message_format="text")
    decode(case, [text], names, dtypes, "text with an unknown field", message_format="text", _says="Unable to parse text protobuf")
    decode(case, [b"int32: x"], names, dtypes, "wrong text", message_format="text", _says="Unable to parse text protobuf")
    disordered = b"\x78\x06\x28\x05\x28\x07"
    decode(case, [disordered], ["int32", "sint64"], [tf.int32, tf.int64], "sanitized", sanitize=True)
    decode(case, [disordered[:3]], ["int32"], [tf.int32], "sanitized and cut", sanitize=True, _says="Unable to parse binary protobuf")
    decode(case, [b""], ["x"], [tf.int32], "nothing required", message_type="cases.Required")
    decode(case, [b""], ["x"], [tf.int32], "nothing required, sanitized", message_type="cases.Required", sanitize=True, _says="Unable to parse binary protobuf")
    decode(case, [b""], ["x"], [tf.int32], "a format", message_type="cases.Required", message_format="json")


def refusals(case):
    decode(case, [b""], ["nothing"], [tf.int32], "unknown field")
    decode(case, [b""], ["int32"], [tf.int32], "unknown message", message_type="cases.Nothing")
    decode(case, [b""], ["int32"], [tf.float32], "wrong dtype", _says="Unexpected output type for cases.Cases.int32: ")
    decode(case, [b""], ["int32"], [tf.int32, tf.int32], "lengths")
    decode(case, np.zeros([0], object), ["int32"], [tf.int32], "no message")
    for source in [b"bytes://x", b"/no/such/file", b"other://"]:
        decode(case, [b""], ["int32"], [tf.int32], repr(source), source=source, _says="Source does not represent serialized file descriptor set proto.")
    wrong = descriptor_pb2.FileDescriptorSet(file=[descriptor_pb2.FileDescriptorProto(name="a", dependency=["b"])])
    decode(case, [b""], ["int32"], [tf.int32], "an import", source=b"bytes://" + wrong.SerializeToString(), _says="Failed to load FileDescriptorProto: ")


def encodes(case):
    chance = np.random.RandomState(4)
    for name, (_, dtypes, _) in TYPES.items():
        for dtype in dtypes:
            if dtype == tf.string:
                values = np.array([["a", "b"], ["", "longer"], ["c", "d"]], object)
            elif dtype == tf.bool:
                values = chance.rand(3, 2) < 0.5
            else:
                values = (chance.normal(0, 1, [3, 2]) * 1e6).astype(dtype.as_numpy_dtype)
            for suffix in ["", "s", "s_packed" if name in NUMBERS else "s"]:
                encode(case, [[1], [0], [2]], [values], [name + suffix], f"{name}{suffix} of {dtype.name}")
    ints, texts = np.arange(12, dtype=np.int32).reshape(2, 2, 3), np.full([2, 2, 1], "t", object)
    encode(case, np.array([[[3, 1], [0, 0]], [[1, 0], [2, 1]]]), [ints, texts], ["int32s", "strings"], "two fields")
    encode(case, np.array([[[1, 3], [0, 0]], [[0, 1], [1, 2]]]), [texts, ints], ["strings", "int32s"], "disordered")
    encode(case, [[2]], [np.array([[-1, 5]], np.int32)], ["b"], "proto3 packs", message_type="three.Three")
    encode(case, [[1]], [np.array([[b"\x08\x05"]], object)], ["grp"], "a group")
    encode(case, [[-1]], [np.array([[-1, 5]], np.int32)], ["int32s"], "a negative size")
    encode(case, [[-1]], [np.array([[-1, 5]], np.int32)], ["int32s_packed"], "a negative size, packed")
    encode(case, [[3]], [np.array([[-1, 5]], np.int32)], ["int32s"], "size too large")
    encode(case, [[1]], [np.array([[-1, 5]], np.int32)], ["nothing"], "unknown field")
    encode(case, [[1]], [np.array([[-1, 5]], np.float32)], ["int32s"], "wrong dtype")
    encode(case, [1], [np.array([-1], np.int32)], ["int32s"], "a vector")
    encode(case, [[1, 1]], [np.array([[-1]], np.int32)], ["int32s"], "sizes of another shape")
    encode(case, [[1]], [np.array([[-1]], np.int32)] * 2, ["int32s"], "more values than fields")
    two = [np.array([[-1]], np.int32), np.array([[-1], [2]], np.int32)]
    encode(case, [[1, 1]], two, ["int32s", "int32"], "prefixes that differ")


def local(case):
    example = tf.train.Example()
    example.features.feature["a"].int64_list.value.append(3)
    source = b"local://"
    bytes_of = example.SerializeToString()
    decode(case, [bytes_of], ["features"], [tf.string], "Example", message_type="tensorflow.Example", source=source)
    feature = b"\x1a\x03\x0a\x01\x03"
    decode(case, [feature], ["int64_list"], [tf.string], "Feature", message_type="tensorflow.Feature", source=source)
    names, dtypes = ["seconds", "nanos"], [tf.int64, tf.int32]
    decode(case, [b"\x08\x05\x10\x07"], names, dtypes, "Timestamp", message_type="google.protobuf.Timestamp", source=source)
    values = [np.array([[5]], np.int64), np.array([[7]], np.int32)]
    encode(case, [[1, 1]], values, names, "Duration", message_type="google.protobuf.Duration", source=source)


def json(case):
    texts = [
        "{}", '{"features": {}}', '{"features": {"feature": {}}}', '{"features": {"feature": {"a": {}}}}',
        '{"features": {"feature": {"b": {"int64List": {"value": ["1", 2, -3]}}, "a": {"floatList": {"value": [1.5, "NaN"]}}}}}',
        '{"features": {"feature": {"z": {"bytesList": {"value": ["YWJj", ""]}}, "": {"bytes_list": {}}}}}',
        '{"features": null}', ' {"features" : {"feature": {"\\u00e9": {"floatList": {"value": []}}}}} ',
    ]  # fmt: skip
    for text in texts:
        case("DecodeJSONExample", json_examples=text, _label=text)
    case("DecodeJSONExample", json_examples=np.reshape(np.array(texts[:6], object), [2, 3]))
    for wrong in [
        "", "{", "[]", '{"unknown": 1}', '{"features": 1}', '{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}',
        '{"features": {"feature": {"a": {"bytesList": {"value": ["%"]}}}}}', '{"features": {}} x',
        '{"features": {"feature": {"a": {"floatList": {}, "int64List": {}}}}}',
    ]:  # fmt: skip
        case("DecodeJSONExample", json_examples=wrong, _label=wrong, _says="Error while parsing JSON: ")
