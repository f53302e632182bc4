"""The values that random command lines are made of: for each type what it takes, and what it does not but nearly."""

from __future__ import annotations

# fmt: off
ARABIC_8, WIDE_9, ARABIC_K = "\u0668", "\uff19", "\u0663k"
"""Digits of other scripts, which Python's int() and \\d take."""

INTEGERS = ["8", "0", "1", "64", "-1", "+3", " 7 ", "1_000", "007", "-0", ARABIC_8, WIDE_9, str(2**70)]
NO_INTEGERS = ["", " ", "x", "1e3", "3.0", "0x10", "--5", "-5x", "1__0", "8k", "None", "9" * 5000, "1,000", "é"]

NUMBERS = ["0.5", "-1", "-.5", "5.", ".5", "1e5", "-1e-3", "nan", "inf", "-inf", "Infinity", "1_0.5",
           " 0.9 ", "0.85", "-0.0"]
NO_NUMBERS = ["", "x", "0,5", "1e", "--1", "0x1p3", "50%", "-1e-3x", "1e5 e"]

READABLE = ["8k", "1Ki", "1.5M", "25.6k", "2T", " 8k ", "0.0001k", ARABIC_K, "4Gi", "8", "-8", "1_000", "0Ki",
            "1." + "0" * 30 + "1k", "9" * 35 + "k", "9" * 4400 + "k"]
NO_READABLE = ["8K", "1ki", "1KiB", "1.5Ki", "8 k", "-8k", "+8k", ".5k", "1.k", "k", "", "1e3k", "1_000k", "8m",
               "None", "1.0Gi", "9" * 4400 + "Ki"]

TEXTS = ["x", "a b", "", " ", "x=y", "=", "é漢字", "None", "null", "\udcff", "a\nb", "-1", "-1.5", "- x", "-a b",
         "@file", "*", "{}", "TRUE"]
TRAPS = ["--", "-", "-x", "--tp", "--model-path", "-h", "--=", "--model-path=", "---", "--no-such-option", "-1e5",
         "--help-me", "-hx", "--no-", "--help=x", "-h=", "-\u0663"]

JSON = ["{}", "[]", '{"a": 1}', '["a", "b"]', "[1, 2.5, null, true]", '"text"', "1", "-0", "null", '{"a": {"b": [1]}}',
        " [1]\n", '{"a":1,"a":2}', '["\\u00e9"]']
TRICKY_JSON = [
    "NaN", "[NaN]", "[Infinity]", "[-Infinity]", "[1e999]", "[18446744073709551615]", "[18446744073709551616]",
    "[-9223372036854775808]", "[-9223372036854775809]", '["\\ud800"]', '["\\ud83d\\ude00"]', "[" + "9" * 320 + "]",
    "[" * 200 + "]" * 200, "\ufeff[]", '["\udcff"]', "[1.7976931348623159e308]", "[1" + "0" * 400 + "]",
    '{"\\udc00": 1}', "[-0]", "[-0.0]", "[1E5]", "[0.1e-400]", '{"a":"\\ud800","a":1}', "[" * 1100 + "]" * 1100,
]
NO_JSON = ["", "{", "a", "{'a': 1}", "[1,]", "{a: 1}", "None", "True", "[01]", "[1.]", '["\t"]', "[] []", "nul", "[.5]",
           '["\\x"]', "[+1]"]

ADAPTERS = ["path", "name=path", "a=b=c", "=", "name=", "=path", '{"lora_name": "a", "lora_path": "b"}',
            ' {"lora_name":1,"lora_path":2,"pinned":true} ',
            '{"lora_name": NaN, "lora_path": null}', " x ", "", "{x", "x}"]
NO_ADAPTERS = ["{}", '{"lora_path": "b"}', '{"lora_name": "a"}', "{bad}", "{lora_name, lora_path}", ' {"a": 1} ',
               "{{}}", '{"lora_path": "b", "a": ' + "[" * 2000 + "]" * 2000 + "}"]

NAMES = ["mem_fraction_static", "tensor-parallel", "foo", "no-tp-size", "disable", "x", "Model-Path", "tp size",
         "config", "help"]
"""Option names that no release has, or that it has in another spelling."""

PHASES = ["decode", "prefill"]
NO_PHASES = ["Decode", "verify", "", "1"]
SETTINGS = {"backend": ["full", "breakable", "disabled"], "max_bs": [1, 64], "bs": [[1, 2]]}
"""Settings of a phase of --cuda-graph-config that every release has."""
SOME_SETTINGS = ["tc_compiler", "max_seq_len", "full_prefill_max_req", "max_context_size",
                 "full_prefill_prefix_chunk_tokens", "x", ""]
"""Settings that some releases have, in some phases, and that none has."""
NO_BACKENDS = ["tc_piecewise", 1, None, "x"]

YAML_FILES = ["", "[]", "text", "a: b: c", "? x\n: 1\n", "1: 2\n", "true: 1\n", "{}", "- a\n", "a: &x [1]\nb: *x\n",
              "x: !!python/none 1\n", "~: 1\n", "2001-01-01: 1\n", "help: true\n", "config: c.yaml\n", "a: !!bool x\n",
              "a: !!int ''\n", "a: 2001-99-99\n", "\ufeffport: 1\n", "port: 1\nport: 2\n", "? [a]\n: 1\n",
              "? {a: 1}\n: 1\n"]
YAML_VALUES = ["true", "false", "null", "on", "1", "1.5", "[1, 2]", "{a: 1}", "[]", "''", "2020-01-02", "0x10", "1e3",
               "1_000", "12:30", "'-x'", "[--, x]", "'8k'", "{1: {2: x}}", "{a: 2020-01-02}", "!!set {a}",
               "!!binary aGk=", ".nan", "[true, null, 1.0]", "{}", "{a: .inf}", "[{a: 1}]", "|\n  two\n  lines\n"]
# fmt: on

BY_TYPE = {
    None: (TEXTS, TEXTS),
    "str": (TEXTS, TEXTS),
    "bool": (["True", "False", "x", "0"], [""]),
    "int": (INTEGERS, NO_INTEGERS),
    "float": (NUMBERS, NO_NUMBERS),
    "human_readable_int": (READABLE, NO_READABLE),
    "json.loads": (JSON, NO_JSON + TRICKY_JSON),
    "json_list_type": (JSON, NO_JSON + TRICKY_JSON),
    "nullable_str": (["None", "", "x", "none", "null"], TEXTS),
    "LoRAPathAction": (ADAPTERS, NO_ADAPTERS),
}
"""Type -> (words that it takes, words that are mostly wrong)."""
