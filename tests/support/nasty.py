"""Texts that quoting has been known to break on, the same ones in every run."""

from __future__ import annotations

import random

# Rows by kind: one text a line would hide them.
# fmt: off
CURATED = (
    # Empty, blanks, line breaks.
    "", " ", "  ", "\t", "\n", "\r", "\r\n", "\n\n", " leading", "trailing ", "\ttab\t", "two  blanks", "a\nb", "a\n",
    "a\rb", "\n[Service]\nExecStart=/bin/false", "x\nExecStartPre=/bin/false", "\x0b", "\x0c", "a\x0bb\x0cc",
    "\u00a0", "\u2028", "\u2029", "\u3000", "\x85", "a\u2003b",
    # Quotes and backslashes.
    "'", '"', "''", '""', "'\"", "\"'", "it's", 'say "hi"', "'quoted'", '"quoted"', '"it\'s"', "a'b'c", 'a"b"c',
    "`id`", "\\", "\\\\", "\\\\\\", "end\\", "end\\\\", "\\n", "\\t", "\\x41", "\\101", "\\u0041", "\\U00000041",
    "\\s", "\\q", "\\'", '\\"', "\\ ", "\\;", "\\$HOME", "\\%h", "C:\\new\\table", "^\\d+\\.\\w*$", "\\\n", "a\\\nb",
    "\\\r\n",
    # Variables.
    "$", "$$", "$$$", "$$$$", "$HOME", "$$HOME", "${HOME}", "$${HOME}", "${HOME", "$HOME}", "a$HOME", "$HOME b",
    "${X}", "${HOME:-x}", "${HOME:+x}", "$(id)", "$1", "$?", "${}", "$ ", "cost: 5$", "$NOT_SET", "${NOT_SET}",
    "a${HOME}b$$c", "$\n", "$'x'", '$"x"', "\\${HOME}", "%$%$", "$%h",
    # Specifiers.
    "%", "%%", "%%%", "%h", "%%h", "%n", "%i", "%I", "%u", "%H", "%m", "%t", "%S", "%Z", "%!", "100%", "100 %",
    "50% off", "%(levelname)s", "%s %d", "%{x}", "a%", "%\n", "{% if x %}", "{%- for m in messages -%}", "%20",
    "%E2%80%AE",
    # Separators, comments, section headers, prefixes.
    ";", ";;", "; rm -rf /", "a;b", " ; ", "#", "# comment", "#!", "a#b", "a #b", ";comment", "[", "]", "[Unit]", "=",
    "a=b", "=b", "--a=b", "A=B C=D", "-", "--", "---", "-x", "--help", "@", "@x", "+", "+x", "!", "!!", "!x", ":",
    "|", ",", "/", "//", "/.", "/..", "~", "~root", "~/x", ".", "..", "^", "&", "&&", "||", ">", "<", ">out", "2>&1",
    # Shell and globs.
    "*", "?", "[a-z]", "{a,b}", "*.safetensors", "[!a]", "**/*", "$(reboot)", "`reboot`", "a|b", "!history", "(x)",
    "x &",
    # Structured values that flags take.
    '{"a": 1}', "{}", "[]", '{"a":{"b":["c",null,true,1.5e-3]}}', '{"k":"it\'s \\"so\\""}', "{'a': 1}", '[1, 2, "3"]',
    '{"rope_scaling":{"rope_type":"yarn","factor":4.0}}', '{"path": "C:\\\\x"}', '{"tpl": "{{ x }} %s $y"}', "null",
    "0.0.0.0:30000", "[::1]:30000", "tcp://10.0.0.1:5000?x=%20&y=$z", "file:///a b", "a,b,c", "1e5", "0x10", "-1",
    "-0.5",
    # Control characters.
    *map(chr, range(0x01, 0x20)),
    "\x7f", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "a\x01b\x02c", "\x80", "\x9b", "\x9f", "caf\x85e",
    # Unicode: letters, combining, emoji, direction, invisible, edges of the encodings.
    "é", "e\u0301", "ñandú", "Ω", "日本語", "한국어", "ไทย", "हिन्दी", "עברית", "العربية", "\ufdfa", "ß", "İ", "\u017f",
    "Å", "🤖", "👩\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "🇩🇪", "👍🏽", "Z\u0351\u036b\u0343a\u0328lgo", "\u0301start",
    "\U0001d54a", "𐍈", "\u202e", "abc\u202edef", "\u2066x\u2069", "\u200e", "\u200f", "\u061c",
    "\u202a\u202b\u202c\u202d", "user\u202ecod.exe", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\ufeffbom",
    "\u00ad", "\u180e", "\ufff9\ufffa\ufffb", "\ufffc", "\ufffd", "\U000e0041", "\x7f\x80", "\u07ff", "\u0800",
    "\ud7ff", "\ue000", "\uf8ff", "\ufdcf", "\ufdf0", "\U00010000", "\U000f0000", "\U0010fffd", "\U0001fffd",
    # Long ones: longer than a pipe buffer, growing fourfold when escaped, close to the kernel's limit.
    "x" * 70_000, "\x01" * 30_000, '"' * 30_000, "$%\\" * 10_000, "日" * 20_000, " " * 10_000, "y" * 131_000,
)
"""What both an argument and a variable can carry."""

NONCHARACTERS = (
    "\ufdd0", "\ufdef", "\ufffe", "\uffff", "\U0001fffe", "\U0010ffff", "a\uffffb", "\ufffe\ufffe", "\ufdd1 '\"$%",
)
"""What an argument can carry and a variable cannot."""

_PIECES = (
    *"aZ09_./:=,+@^- \t\n\r\\\"'$%;#[]{}()*?!~&|<>`",
    "$$", "%%", "${A}", "$A", "\\n", "\\x", "\\\\", "\\\n", "--", "é", "日", "🤖", "\u202e", "\u00a0", "\x01", "\x1b",
    "\x80",
)
# fmt: on


def nasty_strings() -> list[str]:
    """The curated texts, and 400 put together from pieces that mean something to systemd."""
    source = random.Random(20260101)
    made = ["".join(source.choices(_PIECES, k=source.randint(1, 24))) for _ in range(400)]
    return [*dict.fromkeys((*CURATED, *made))]
