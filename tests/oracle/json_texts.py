"""Random texts that are JSON, nearly JSON, or JSON that readers disagree about."""

from __future__ import annotations

import random

# fmt: off
HAND = [
    "", "NaN", "-NaN", "1e999", "-1e999", "1e-999", "-0", "-0.0", "00", "-01", "-", "1.", ".5", "1e5", "1E+5", "+1",
    "0x10",
    "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809",
    "9" * 300, "9" * 308, "9" * 309, "9" * 5000, "1" + "0" * 308, "1" + "0" * 309, "0." + "0" * 400 + "1",
    "1.7976931348623157e308", "1.7976931348623159e308", "5e-324", "2e-324",
    '"\\ud800"', '"\\ud83d\\ude00"', '"\\udc00\\ud800"', '"\\ud800\\\\udc00"', '{"a":"\\ud800","a":1}', '{"\\ud800":1}',
    '"\ud800"', "\udcff", '"\x00"', '"\x1f"', '"\x7f"', '"\u2028"', "\ufeff1", "\xa01", "1\x0b", "\r\n\t 1 \r",
    "[\u0661]",
    '{"a":1,"a":2}', "[1,]", "{'a':1}", "// c\n1", "1 2", '"\\/"', '"\\x41"', '"\\u12"', '"\\',
    "[" * 1024 + "]" * 1024, "[" * 1025 + "]" * 1025, '{"a":' * 1024 + "1" + "}" * 1024, "[" * 5000 + "]" * 5000,
    "[" * 1024,
]
ATOMS = [
    "1", "-1", "0", "-0", "1.5", "1e5", "-", "+", ".", "e", "E", "00", "9" * 19, "9" * 20, "1e308", "1e309", "[", "]",
    "{",
    "}", ",", ":", '"', "\\", "\\u", "d800", "dc00", "\\ud800", "\\udc00", "\\ud83d\\ude00", "NaN", "Infinity", "true",
    "false", "null", " ", "\t", "\n", "\x00", "\x1f", "a", '"a"', '"b":', '""', "é", "\u2028", "\ufeff", "\ud800",
    "\\/",
]
# fmt: on


def texts(seed, count):
    """The texts by hand, then `count` random ones."""
    dice = random.Random(seed)
    yield from HAND
    for _ in range(count):
        text = _valid(dice, 0) if dice.random() < 0.6 else "".join(dice.choices(ATOMS, k=dice.randint(1, 6)))
        if text and dice.random() < 0.3:
            at = dice.randrange(len(text))
            text = text[:at] + dice.choice([*ATOMS, ""]) + text[at + dice.randint(0, 1) :]
        yield text


def _valid(dice, depth):
    how = dice.random()
    if depth > 4 or how < 0.4:
        return _scalar(dice)
    blank = ["", "", " ", "\n\t"]
    items = [dice.choice(blank) + _valid(dice, depth + 1) for _ in range(dice.randint(0, 4))]
    if how < 0.7:
        return "[" + ",".join(items) + "]"
    return "{" + ",".join(f'"{dice.choice("abc")}"{dice.choice(blank)}:{item}' for item in items) + "}"


def _scalar(dice):
    return dice.choice([
        "1", "-1", "-0", "-0.0", "true", "false", "null", '"a"', '"\\ud800"', '"\\u00e9"',
        "9" * dice.randint(1, 320),
        "-" + "9" * dice.randint(1, 25),
        f"1e{dice.randint(-400, 400)}",
        f"{dice.uniform(-1e300, 1e300):.{dice.randint(1, 25)}g}",
        "0." + "0" * dice.randint(0, 330) + str(dice.randint(1, 10**20)),
        f"{dice.randint(0, 10**20)}.{dice.randint(0, 10**20)}e{dice.randint(-330, 310)}",
    ])  # fmt: skip
