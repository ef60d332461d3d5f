"""Regular expressions: chosen ones, malformed ones, and random ones on random texts."""

import random

import numpy as np


def s(*values):
    return np.array(values, dtype=object)


ATOMS = list("abcABkKs \n-01_.") + ["é", "É", "ß", "ſ", "日", "😀", "K", r"\.", r"\n", r"\t", r"\\"]
CLASSES = [
    r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\pL", r"\p{Lu}", r"\PL", r"\p{Greek}", r"\p{^Ll}", "[a-c]", "[^a]",
    "[[:alpha:]]", "[[:^space:]b]", "[é-ü]", "[^é]", r"[\d-]", "[]a]", ".", r"\C", "[日本]", r"[\s\S]", "[k-s]",
]  # fmt: skip
ASSERTIONS = ["^", "$", r"\b", r"\B", r"\A", r"\z"]
REPETITIONS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}", "{2,}", "{0}", "{1,2}?", "{,2}"]
FLAGS = ["(?i)", "(?s)", "(?m)", "(?U)", "(?i:", "(?s-m:", "(?im:", "(?-i:"]
REWRITES = ["X", r"\0", r"[\1]", r"\2\1", r"\\", r"\3x", "", r"\9", r"a\q"]
CHARACTERS = list("abcABkKsS \n-01éÉßſ日😀K_.üα")
MALFORMED = [b"\xff", b"\xc3", b"\xe6\x97", b"\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\x00"]
ERRORS = [
    "(", ")", "a)", "(?P<n", "(?P=n)", "(?P<n!>a)", "(?<n>a)", "*", "a**", "a{2}{3}", "a*{2}?", "a{1001}", "a{2,1}", "{2}", "a|*",
    "(*)", "\\", r"\8", r"\1", r"\x", r"\x{110000}", r"\xg1", r"\q", r"\Z", r"\p", r"\pX", r"\p{Foo", r"\p{Foo}", "[", "[a", "[b-a]",
    "[[:foo:]]", r"[a-\d]", "[^]", "(?i", "(?i-)", "(?-)a", "(?x)a", "(?:", "(?=a)", "a++", "a?+", "(?P<>a)", r"[\p{Foo}]",
    r"[\Q]\E]", "((a)", "(a))", "[\\", "[a-", r"\x{}", r"\x{1", r"\x1", r"\é", "(a{10}){101}", "((){1000}){1000}",
    "((?:a{1000})*){2}", "(?i)(?-i:", "a" * 699_000,
]  # fmt: skip


def record(case):
    chosen(case)
    errors(case)
    randomly(case, random.Random(7), 400)


def chosen(case):
    texts = s(b"", b"abc", b"aabbcc", b"a\nb", "größe".encode(), b"xaxbx")
    for pattern in ["a.*", "", "[a-c]+", "(?i)ABC", "a\nb", "(?s)a.b", "gr.{3}e", ".*", "a|abc", r"\w*"]:
        case("StaticRegexFullMatch", input=texts, pattern=pattern)
        case("RegexFullMatch", input=texts, pattern=pattern.encode())
    for pattern, rewrite in [
        ("a", "X"), ("b*", "-"), ("", "."), ("(a)(b)?", r"[\2\1\0]"), ("x", ""), ("(x)", r"\2"),
        ("^a", "!"), ("$", "!"), ("[^a]", r"\\"), ("ö", "oe"), (r"\b", "|"), ("c", r"a\qb"), ("(?:)", "ß"),
    ]:  # fmt: skip
        for replace_global in [True, False]:
            case(
                "StaticRegexReplace",
                input=texts,
                pattern=pattern,
                rewrite=rewrite,
                replace_global=replace_global,
            )
        case("RegexReplace", input=texts, pattern=pattern.encode(), rewrite=rewrite.encode())
    case("StaticRegexFullMatch", input=texts, pattern="(", _says="Invalid pattern: (, error: ")
    case("RegexFullMatch", input=texts, pattern=b"a**", _says="Invalid pattern: a**, error: ")
    case("RegexFullMatch", input=texts, pattern=s(b"a"))
    case("RegexReplace", input=texts, pattern=b"(?=a)", rewrite=b"", _says="Invalid pattern: ")


def errors(case):
    for pattern in ERRORS:
        says = pattern[:1000] if len(pattern) > 1000 else None
        case("RegexFullMatch", input=s(b"a"), pattern=pattern.encode(), _label="error", **({"_says": says} if says else {}))
    for pattern in [r"\pN{", "[[:alpha]", r"[\d-a]", "[--a]", "[]a]", "(?)a", "(?ii)x", r"\C\C", "a{,2}", "a{02}", r"\Qab", r"\400", "(a{2})*"]:
        case("RegexFullMatch", input=s(b"a", b"x", b"", b"ab", b"a{02}"), pattern=pattern.encode())


def randomly(case, draw, count):
    for _ in range(count):
        texts = s(*[text(draw) for _ in range(6)])
        found = pattern(draw, draw.randint(1, 5)).encode()
        case("RegexFullMatch", input=texts, pattern=found)
        rewrite = draw.choice(REWRITES).encode()
        for replace_global in [True, False]:
            case("RegexReplace", input=texts, pattern=found, rewrite=rewrite, replace_global=replace_global)


def pattern(draw, depth):
    kind = draw.random()
    if depth == 0 or kind < 0.3:
        return draw.choice(ATOMS)
    if kind < 0.45:
        return draw.choice(CLASSES)
    if kind < 0.52:
        return draw.choice(ASSERTIONS)
    inner = pattern(draw, depth - 1)
    if kind < 0.7:
        return inner + pattern(draw, depth - 1)
    if kind < 0.8:
        return "(" + inner + ")"
    if kind < 0.88:
        return draw.choice(["(", "(?:"]) + inner + "|" + pattern(draw, depth - 1) + ")"
    if kind < 0.96:
        return (draw.choice(["(%s)", "(?:%s)"]) % inner if len(inner) > 1 else inner) + draw.choice(REPETITIONS)
    flag = draw.choice(FLAGS)
    return flag + inner + (")" if flag.endswith(":") else "")


def text(draw):
    made = "".join(draw.choice(CHARACTERS) for _ in range(draw.choice([0, 1, 2, 3, 5, 8, 12]))).encode()
    if draw.random() < 0.15:
        at = draw.randrange(len(made) + 1)
        made = made[:at] + draw.choice(MALFORMED) + made[at:]
    return made
