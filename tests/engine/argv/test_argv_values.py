"""One YAML value against one flag: what is refused, and what is said to write instead."""

from __future__ import annotations

import pytest

from sgfleet.engine import store
from sgfleet.engine.argv.values import check_value, value_of

OLD, MIDDLE, NEW = (store.load(version) for version in ("0.4.9", "0.5.9", "0.5.23"))


@pytest.mark.parametrize(
    ("release", "name", "value", "kind", "help_"),
    [
        (MIDDLE, "tp-size", "8", "bad-type", "write 8, without quotes"),
        (MIDDLE, "tp-size", 8.0, "bad-type", "write 8"),
        (MIDDLE, "tp-size", 8.5, "bad-type", "for example 1"),
        (MIDDLE, "tp-size", True, "bad-type", "for example 1"),
        (MIDDLE, "tp-size", [8], "bad-type", "write 8, without the brackets"),
        (MIDDLE, "mem-fraction-static", "0.85", "bad-type", "write 0.85, without quotes"),
        (MIDDLE, "mem-fraction-static", "x", "bad-type", "for example 0.85"),
        (MIDDLE, "mem-fraction-static", False, "bad-type", "for example 0.85"),
        (MIDDLE, "mem-fraction-static", 10**400, "bad-type", None),
        (MIDDLE, "model-path", 123, "bad-type", 'write it in quotes: "123"'),
        (MIDDLE, "model-path", True, "bad-type", 'write it in quotes: "true"'),
        (MIDDLE, "model-path", {"a": 1}, "bad-type", "for example MODEL_PATH"),
        (MIDDLE, "enable-mixed-chunk", "true", "bad-type", "write true"),
        (MIDDLE, "enable-mixed-chunk", 1, "bad-type", "write true to give the flag"),
        (MIDDLE, "cuda-graph-bs", 8, "bad-type", "write [8]"),
        (MIDDLE, "cuda-graph-bs", "1 2 4", "bad-type", "write [1, 2, 4]"),
        (MIDDLE, "cuda-graph-bs", "1, 2,4", "bad-type", "write [1, 2, 4]"),
        (MIDDLE, "cuda-graph-bs", "few", "bad-type", "write [8]"),
        (MIDDLE, "cuda-graph-bs", True, "bad-type", "write [8]"),
        (MIDDLE, "cuda-graph-bs", {"a": 1}, "bad-type", "write [8]"),
        (MIDDLE, "lora-paths", "a=/x b=/y", "bad-type", 'write ["a=/x", "b=/y"]'),
        (MIDDLE, "port", [30000, 30001], "bad-type", "for example 30000"),
        (MIDDLE, "port", {"http": 30000}, "bad-type", "for example 30000"),
        (MIDDLE, "port", 1e308, "bad-type", "for example 30000"),
        (MIDDLE, "mem-fraction-static", "85%", "bad-type", "write 0.85"),
        (MIDDLE, "json-model-override-args", [1], "bad-type", "for example {key: value}"),
        (MIDDLE, "served-model-name", ["x"], "bad-type", 'write "x", without the brackets'),
        (MIDDLE, "cuda-graph-bs", [], "bad-type", "write [8], or leave it out"),
        (MIDDLE, "cuda-graph-bs", [1, "2"], "bad-type", "write 2, without quotes"),
        (MIDDLE, "attention-backend", "flashinfr", "bad-choice", "did you mean flashinfer?"),
        (MIDDLE, "kv-cache-dtype", "int3", "bad-choice", None),
        (MIDDLE, "log-requests-level", True, "bad-type", "for example 2"),
        (MIDDLE, "log-requests-level", 7, "bad-choice", "write one of 0, 1, 2, 3"),
        (MIDDLE, "mm-process-config", "{", "bad-type", None),
        (MIDDLE, "lora-paths", [{"lora_name": "x"}], "bad-type", "write {lora_name: NAME, lora_path: PATH}"),
        (NEW, "context-length", "8K", "bad-type", "for example 8Ki"),
        (NEW, "context-length", "1.5Ki", "bad-type", "for example 8Ki"),
        (NEW, "context-length", "8000", "bad-type", "write 8000, without quotes"),
        (NEW, "cuda-graph-config", {"decode": {"tc_compiler": "x"}}, "bad-type", None),
        (NEW, "cuda-graph-config", {"decode": {"backend": "tc_piecewise"}}, "bad-type", None),
        (NEW, "cuda-graph-backend-decode", "tc_piecewise", "bad-type", None),
        (NEW, "forward-hooks", {"a": 1}, "bad-type", None),
        (NEW, "forward-hooks", [float("nan")], "bad-type", None),
    ],
)  # fmt: skip
def test_refused(release, name, value, kind, help_):
    problem = check_value(release.by_name[name], value)
    assert problem is not None
    assert problem.kind == kind
    assert name.split("-")[-1] in problem.message or "cuda-graph" in problem.message
    if help_ is not None:
        assert problem.help == help_


@pytest.mark.parametrize(
    ("release", "name", "value", "held"),
    [
        (MIDDLE, "tp-size", 8, 8),
        (MIDDLE, "tp-size", None, 1),
        (MIDDLE, "hicache-ratio", 4, 4.0),
        (MIDDLE, "enable-mixed-chunk", False, False),
        (MIDDLE, "model-checksum", True, ""),
        (MIDDLE, "lora-paths", [" a ", {"lora_name": 1, "lora_path": 2}], ["a", {"lora_name": 1, "lora_path": 2}]),
        (OLD, "lora-paths", ["a=b", "c"], {"a": "b", "c": "c"}),
        (OLD, "quantization-param-path", "None", None),
        (OLD, "hybrid-kvcache-ratio", True, 0.5),
        (NEW, "context-length", "8Ki", 8192),
        (NEW, "monokernel-backend", "amd", True),
        (NEW, "disable-cuda-graph", True, True),
        (NEW, "cuda-graph-config", {"decode": {"bs": [1]}}, {"decode": {"bs": [1]}}),
        (NEW, "forward-hooks", '[{"a": 18446744073709551616}]', [{"a": 18446744073709551616.0}]),
    ],
)  # fmt: skip
def test_what_the_server_holds(release, name, value, held):
    flag = release.by_name[name]
    assert check_value(flag, value) is None
    result = value_of(flag, value)
    assert result == held
    assert type(result) is type(held)


def test_a_flag_that_is_not_known_is_never_right():
    flag = MIDDLE.by_name["tp-size"]._replace(opaque=True, why_opaque="a new type function")
    problem = check_value(flag, 8)
    assert problem is not None
    assert problem.kind == "opaque"
    assert "a new type function" in problem.message
    assert check_value(flag, None) is None
    unheard = MIDDLE.by_name["tp-size"]._replace(type="parse_something_new")
    assert check_value(unheard, 8).kind == "opaque"


@pytest.mark.parametrize(
    ("name", "value", "at"),
    [("cuda-graph-bs", [1, 2, "x"], 2), ("cuda-graph-bs", "x", None), ("lora-target-modules", ["all", "nope"], 1)],
)
def test_which_item_of_a_list_is_wrong(name, value, at):
    assert check_value(MIDDLE.by_name[name], value).at == at
