"""Compares damaged files, and random texts and messages, with stock TensorFlow: differential_files.py FIRST END [KIND...]

DifferentialFilesTest runs it. Case n is made from n alone: of files, a recorded call (kernels/src/test/oracle) whose
contents are damaged (damage.py); of the others, what random_texts.py makes. A difference is shrunk and printed as an
oracle case; add it to kernels/src/test/oracle/families/differential.py.
"""

import os
import random
import resource
import sys

import engine  # before anything prints
import numpy as np
import random_texts as texts
from bounds import Bounds
from calls import Call, Recorded, arrays_of_strings
from damage import damaged
from differential_ops import compare, report

SEED = 15

IMAGES = ("DecodeJpeg", "DecodeJpeg", "DecodeAndCropJpeg", "ExtractJpegShape", "DecodePng", "DecodePng", "DecodeGif", "DecodeBmp",
          "DecodeWebP", "DecodeImage", "DecodeImage")
EXAMPLES = ("ParseExampleV2", "ParseExampleV2", "ParseExample", "ParseSingleExample")
SEQUENCES = ("ParseSequenceExampleV2", "ParseSequenceExample", "ParseSingleSequenceExample")
# The families whose recorded calls are damaged.
FAMILIES = (
    "example", "image", "jpeg_file", "jpeg_library", "jpeg_process", "protobuf", "raw", "sequence_example", "signal",
    "single_sequence_example", "unicode", "webp",
)  # fmt: skip
# The input of an op that holds what is damaged.
CONTENTS = ("contents", "serialized", "bytes", "input")


class Maker:
    def __init__(self):
        self.recorded = Recorded(FAMILIES)

    def base(self, chance: random.Random, op: str) -> tuple[Call, dict, dict, str]:
        call = chance.choice(self.recorded.calls[op])
        return call, dict(call.rows[0]), dict(call.attrs), next(name for name in CONTENTS if name in call.rows[0])

    def damaged_call(self, chance: random.Random, op: str) -> Call:
        """A recorded call whose contents are damaged; often with another call's attrs."""
        call, row, attrs, name = self.base(chance, op)
        others = self.contents(op, name)
        if chance.random() < 0.3:
            attrs = dict(chance.choice(self.recorded.calls[op]).attrs)
        row[name] = mapped(row[name], lambda data: damaged(chance, data or chance.choice(others), others))
        return Call(op, [row], attrs)

    def contents(self, op: str, name: str) -> list[bytes]:
        found = [value for call in self.recorded.calls[op] for value in call.rows[0][name].reshape(-1) if value]
        return found or [b"a"]

    def images(self, chance: random.Random) -> Call:
        op = chance.choice(IMAGES)
        call = self.damaged_call(chance, op)
        if chance.random() < 0.2:
            # Another format's file, whole or damaged: ops of images take several formats.
            other = chance.choice([name for name in IMAGES if name != op])
            data = chance.choice(self.contents(other, "contents"))
            call.rows[0]["contents"] = np.array(damaged(chance, data, [data]) if chance.random() < 0.7 else data, object)
        return call

    def sounds(self, chance: random.Random) -> Call:
        return self.damaged_call(chance, "DecodeWav")

    def compressed(self, chance: random.Random) -> Call:
        return self.damaged_call(chance, chance.choice(["DecodeCompressed", "DecodeBase64", "ParseTensor"]))

    def regexes(self, chance: random.Random) -> Call:
        inputs = strings(texts.subject(chance) for _ in range(chance.choice([1, 4, 8])))
        found = texts.pattern(chance)
        op = chance.choice(["RegexFullMatch", "RegexReplace", "RegexReplace"])
        row = {"input": inputs, "pattern": np.array(found, object)}
        attrs = {}
        if op == "RegexReplace":
            row["rewrite"] = np.array(texts.rewrite(chance), object)
            attrs = {"replace_global": chance.random() < 0.8}
        if chance.random() < 0.3 and b"\0" not in found and is_utf8(found, *[row[n].item() for n in ("rewrite",) if n in row]):
            attrs |= {"pattern": row.pop("pattern").item().decode()}
            if "rewrite" in row:
                attrs |= {"rewrite": row.pop("rewrite").item().decode()}
            op = "Static" + op
        return Call(op, [row], attrs)

    def csv(self, chance: random.Random) -> Call:
        delimiter, na_value = chance.choice([",", ",", ";", "\t", "|", " "]), chance.choice(["", "", "NA", "-1"])
        fields = chance.choice([1, 2, 3, 5])
        attrs = {"field_delim": delimiter, "na_value": na_value, "use_quote_delim": chance.random() < 0.8}
        columns = fields
        if chance.random() < 0.3:
            attrs["select_cols"] = sorted(chance.sample(range(fields), chance.randrange(1, fields + 1)))
            columns = len(attrs["select_cols"])
        records = strings(texts.record(chance, fields, delimiter, na_value) for _ in range(chance.choice([1, 1, 3])))
        return Call("DecodeCSV", [{"records": records, "record_defaults": [default(chance) for _ in range(columns)]}], attrs)

    def examples(self, chance: random.Random) -> Call:
        return self.messages(chance, chance.choice(EXAMPLES), texts.example)

    def sequences(self, chance: random.Random) -> Call:
        return self.messages(chance, chance.choice(SEQUENCES), texts.sequence_example)

    def messages(self, chance: random.Random, op: str, message) -> Call:
        """New messages of the features that a recorded call asks for, half of them damaged."""
        call, row, attrs, name = self.base(chance, op)
        keys = sorted({key for given in arrays_of_strings(row, "keys") for key in given}
                      | {key.encode() for attr, given in attrs.items() if attr.endswith("keys") for key in given})

        def one(data: bytes) -> bytes:
            made = message(chance, keys) if chance.random() < 0.8 else data
            return damaged(chance, made, [made, data]) if made and chance.random() < 0.5 else made

        row[name] = mapped(row[name], one)
        return Call(op, [row], attrs)

    def protos(self, chance: random.Random) -> Call:
        return self.damaged_call(chance, "DecodeProtoV2")


KINDS = {
    "images": (Maker.images, 8), "sounds": (Maker.sounds, 1), "compressed": (Maker.compressed, 1), "regexes": (Maker.regexes, 4),
    "csv": (Maker.csv, 2), "examples": (Maker.examples, 2), "sequences": (Maker.sequences, 1), "protos": (Maker.protos, 1),
}  # fmt: skip


def main() -> None:
    first, end = int(sys.argv[1]), int(sys.argv[2])
    kinds = {name: KINDS[name] for name in sys.argv[3:] or KINDS}
    resource.setrlimit(resource.RLIMIT_AS, (24 << 30, 24 << 30))
    np.seterr(all="ignore")
    maker = Maker()
    bounds = Bounds(maker.recorded.tolerances)
    reported = set()
    for number in range(first, end):
        chance = random.Random(f"{SEED} files {number}")
        kind = chance.choices(list(kinds), [weight for _, weight in kinds.values()])[0]
        engine.begin(number, f"case {number}: {kind}")
        call = kinds[kind][0](maker, chance)
        result = compare(call, bounds)
        engine.outcome(f"{kind}, {result.kind}")
        if result.kind != "unfit":
            engine.name("ops", call.op)
        if result.kind == "different":
            report(call, result, bounds, number, reported)
    engine.end()
    os._exit(0)


def mapped(array: np.ndarray, change) -> np.ndarray:
    return strings(map(change, array.reshape(-1))).reshape(array.shape)


def strings(values) -> np.ndarray:
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array


def is_utf8(*values: bytes) -> bool:
    try:
        return all(value.decode() is not None for value in values)
    except UnicodeDecodeError:
        return False


def default(chance: random.Random) -> np.ndarray:
    """A column's default, empty where a value is needed."""
    dtype = chance.choice([np.int32, np.int64, np.float32, np.float64, object])
    if chance.random() < 0.2:
        return np.zeros([0], dtype)
    return strings([b"x"]) if dtype is object else np.array([7], dtype)


if __name__ == "__main__":
    main()
