"""Random regular expressions, records of CSV, and Examples, valid ones and others."""

import random

import tensorflow as tf

ATOMS = [
    "a", "b", "c", "A", "é", "世", "1", "_", " ", r"\n", r"\t", ".", ".", r"\.", r"\*", "-", r"\x41", r"\x{4e16}", r"\141",
    r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\pL", r"\PN", r"\p{Greek}", r"\p{^Lu}", r"\pZ", r"\C",
    "[abc]", "[^abc]", "[a-c1-3]", "[^a-z]", r"[\d_]", r"[^\s]", "[[:alpha:]]", "[[:^digit:]]", "[é-世]", r"[\pL-]", "[]a]",
    "[^]a]", "[a-]", r"[\x00-\x7f]", r"\Qa.b\E", r"[\]\\]", "(?i:b)", "(?i)a", "(?s:.)", "(?-s:.)", "(?U:a*)", "ſ", "K", "ß",
]
EMPTY_MATCHES = ["^", "$", r"\A", r"\z", r"\b", r"\B", "(?m:^)", "(?m:$)", "()", ""]
REPEATS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "{0}", "{,2}", "{3,1}"]
# Parts that no atom may be: an error in most places.
WRONG = ["(", ")", "[", "]", "{", "}", "*", "+", "\\", "(?", "(?=a)", "(?<n>a)", r"\1", r"\8", "[b-a]", "[[:no:]]", r"\p{No}", "a**",
         "{1001}", r"\x{110000}", r"\z{2}", "(?P<n", "(?P<1>a)", "\\é", r"\pX", "(?iz)a"]
CHARACTERS = ["a", "b", "c", "A", "B", "1", "2", "_", " ", "\n", ".", "é", "É", "世", "ſ", "K", "-", "\t", "\0", "Ω"]


def pattern(chance: random.Random) -> bytes:
    text = expression(chance, chance.choice([1, 2, 2, 3, 4]))
    if chance.random() < 0.1:
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(WRONG) + text[at:]
    found = text.encode()
    if chance.random() < 0.03:
        at = chance.randrange(len(found) + 1)
        found = found[:at] + chance.choice([b"\xff", b"\xc3", b"\xe4\xb8", b"\0"]) + found[at:]
    return found


def expression(chance: random.Random, depth: int) -> str:
    if depth == 0:
        return chance.choice(EMPTY_MATCHES) if chance.random() < 0.15 else chance.choice(ATOMS)
    match chance.randrange(6):
        case 0:
            return "|".join(expression(chance, depth - 1) for _ in range(chance.choice([2, 2, 3])))
        case 1:
            return chance.choice(["(", "(", "(?:", "(?P<n%d>" % chance.randrange(100), "(?i:"]) + expression(chance, depth - 1) + ")"
        case 2:
            inner = expression(chance, depth - 1)
            return (f"(?:{inner})" if chance.random() < 0.7 else inner) + chance.choice(REPEATS)
        case _:
            return "".join(expression(chance, depth - 1) for _ in range(chance.choice([1, 2, 3, 4])))


def subject(chance: random.Random) -> bytes:
    some = chance.choices(CHARACTERS, k=chance.choice([0, 1, 2, 3, 5, 8, 13, 30]))
    found = "".join(some).encode()
    if chance.random() < 0.15:
        at = chance.randrange(len(found) + 1)
        found = found[:at] + chance.choice([b"\xff", b"\xc3", b"\xe4\xb8", b"\xf0\x9f", b"\xed\xa0\x80"]) + found[at:]
    return found


def rewrite(chance: random.Random) -> bytes:
    parts = ["x", "-", r"\0", r"\1", r"\2", r"\9", r"\\", "é", "$1", ""]
    text = "".join(chance.choices(parts, k=chance.choice([0, 1, 2, 3])))
    return (text + (chance.choice(["\\", r"\a"]) if chance.random() < 0.05 else "")).encode()


def number(chance: random.Random) -> str:
    return chance.choice([
        str(chance.randrange(-100, 1000)), str(chance.getrandbits(chance.choice([31, 32, 63, 64]))), "-2147483648", "-2147483649",
        "9223372036854775807", "9223372036854775808", f"{chance.uniform(-9, 9):.3f}", f"{chance.gauss(0, 1):.9g}", f"{chance.gauss(0, 1):.17g}",
        "1e5", "1E-3", ".5", "5.", "1e400", "1e-400", "1e39", "inf", "-Infinity", "nan", "NaN", "0x10", "0x1p3", "+7", " 8", "9 ", "--1",
        "1_000", "1e", "1.5.2", "007", "-0", "1d", "٣",
    ])  # fmt: skip


def field(chance: random.Random, delimiter: str, na_value: str) -> str:
    match chance.randrange(8):
        case 0:
            return ""
        case 1:
            return na_value
        case 2:
            inner = "".join(chance.choices(["a", '""', delimiter, "\n", "\r\n", " ", "é", number(chance)], k=chance.randrange(4)))
            return f'"{inner}"'
        case 3:
            return "".join(chance.choices(["a", '"', " ", "b", delimiter, "\r", "\\"], k=chance.randrange(4)))
        case _:
            return number(chance)


def record(chance: random.Random, fields: int, delimiter: str, na_value: str) -> bytes:
    count = fields if chance.random() < 0.9 else chance.randrange(fields + 2)
    text = delimiter.join(field(chance, delimiter, na_value) for _ in range(count))
    return (text + chance.choice(["", "", "", "\n", "\r\n", "\r", " ", delimiter])).encode()


def feature(chance: random.Random) -> tf.train.Feature:
    count = chance.choice([0, 1, 1, 1, 2, 2, 3, 5])
    match chance.randrange(7):
        case 0 | 1:
            values = [chance.choice([0, 1, -1, 2**40, -(2**63), 2**63 - 1, chance.randrange(300)]) for _ in range(count)]
            return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
        case 2 | 3:
            return tf.train.Feature(float_list=tf.train.FloatList(value=[chance.gauss(0, 10) for _ in range(count)]))
        case 4 | 5:
            values = [chance.randbytes(chance.choice([0, 1, 3, 200])) for _ in range(count)]
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        case _:
            return tf.train.Feature()


def features(chance: random.Random, keys: list[bytes]) -> tf.train.Features:
    names = [key.decode(errors="replace") for key in keys if chance.random() < 0.9] + ["other"] * (chance.random() < 0.2)
    return tf.train.Features(feature={name: feature(chance) for name in names})


def example(chance: random.Random, keys: list[bytes]) -> bytes:
    message = tf.train.Example(features=features(chance, keys)).SerializeToString()
    if chance.random() < 0.1:  # a map's key twice, or merged messages
        message += tf.train.Example(features=features(chance, keys)).SerializeToString()
    return message


def sequence_example(chance: random.Random, keys: list[bytes]) -> bytes:
    message = tf.train.SequenceExample(context=features(chance, keys))
    for key in keys:
        if chance.random() < 0.8:
            rows = message.feature_lists.feature_list[key.decode(errors="replace")].feature
            rows.extend(feature(chance) for _ in range(chance.choice([0, 1, 2, 3])))
    return message.SerializeToString()
