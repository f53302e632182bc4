"""Values of flags: kinds, choices, ranges, deprecations, and what no command line can say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.said import messages, said
from rules.views import facts, service
from sgfleet.findings import Severity


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"tp-size": "8"}, 'tp-size takes an integer, not "8"'),
        ({"tp-size": True}, "tp-size takes an integer, not true"),
        ({"tp-size": 8.5}, "tp-size takes an integer, not 8.5"),
        ({"tensor-parallel-size": 8.5}, "tensor-parallel-size takes an integer, not 8.5"),
        ({"hicache-size": 40.5}, "hicache-size takes an integer, not 40.5"),
        ({"served-model-name": 5}, "served-model-name takes text, not 5"),
        ({"cuda-graph-bs": 8}, "cuda-graph-bs takes a list, not an integer"),
        ({"enable-hierarchical-cache": "yes"}, "enable-hierarchical-cache is true or false, not text"),
        ({"mem-fraction-static": "0.8"}, 'mem-fraction-static takes a number, not "0.8"'),
    ],
)
def test_wrong_kinds(flags, message):
    (problem,) = said("flags.bad_type", service(flags))
    assert problem.message == message
    assert problem.help
    assert said("flags.bad_choice", service(flags)) == []


@pytest.mark.parametrize(
    ("release", "flags", "wrong"),
    [
        ("0.5.9", {"kv-cache-dtype": "fp8"}, True),
        ("0.5.9", {"kv-cache-dtype": "fp8_e4m3"}, False),
        ("0.5.20", {"kv-cache-dtype": "fp4_e2m1"}, False),
        ("0.5.21", {"kv-cache-dtype": "fp4_e2m1"}, True),
        ("0.5.9", {"reasoning-parser": "kimi"}, False),
        ("0.5.9", {"reasoning-parser": "kimi_k25"}, True),
    ],
)
def test_choices_by_release(release, flags, wrong):
    assert bool(said("flags.bad_choice", service(flags, release=release))) == wrong


@pytest.mark.parametrize(
    ("capability", "value", "has", "lacks"),
    [
        ("8.9", "none-such", "triton", "trtllm_mha"),
        ("10.0", "none-such", "trtllm_mha", "fa3"),
        ("9.0", "fa33", "fa3", "trtllm_mha"),
        ("8.9", "trtllm_mhaa", "triton", "trtllm_mha"),
        (None, "none-such", "trtllm_mha", "nothing"),
    ],
)
def test_no_choice_is_offered_that_the_gpu_refuses(capability, value, has, lacks):
    gpu = {"index": 0, "name": "NVIDIA", "memory-mib": 46068} | (
        {"compute-capability": capability} if capability else {}
    )
    view = service({"attention-backend": value}, known=facts(gpus=[gpu]), gpus=[0], release="0.5.12")
    (problem,) = said("flags.bad_choice", view)
    assert has in problem.help
    assert lacks not in problem.help


@pytest.mark.parametrize(("value", "wrong"), [("1", False), ("true", False), ("0", True), (None, True)])
def test_choice_that_a_variable_adds(value, wrong):
    environment = {} if value is None else {"SGLANG_KV_CANARY_ENABLE_TOKEN_ORACLE": value}
    view = service({"sampling-backend": "token_oracle"}, release="0.5.23", environment=environment)
    assert bool(said("flags.bad_choice", view)) == wrong


@pytest.mark.parametrize(
    ("release", "flag", "severity"),
    [
        ("0.5.3", "enable-ep-moe", Severity.ERROR),
        ("0.5.9", "prefill-round-robin-balance", Severity.WARNING),
        ("0.5.22", "enable-dp-attention", Severity.WARNING),
        ("0.5.14", "enable-flashinfer-allreduce-fusion", Severity.NOTE),
        ("0.5.9", "enable-flashinfer-allreduce-fusion", None),
    ],
)
def test_deprecations(release, flag, severity):
    problems = said("flags.deprecated_flag", service({flag: True}, release=release))
    assert [problem.severity for problem in problems] == ([severity] if severity else [])
    assert said("flags.deprecated_flag", service({flag: False}, release=release)) == []


@pytest.mark.parametrize(
    ("flags", "secrets", "name"),
    [
        ({"tp-size": 4, "tensor-parallel-size": 4}, {}, "tensor-parallel-size"),
        ({"tensor-parallel-size": 4, "tp-size": 8}, {}, "tp-size"),
        ({"api-key": "k"}, {"api-key": "KEY"}, "api-key"),
        ({"model": "/other"}, {}, "model"),
    ],
)
def test_one_setting_by_two_names(flags, secrets, name):
    (problem,) = said("flags.conflicting_names", service(flags, secrets=secrets))
    assert problem.route[1] == name


@pytest.mark.parametrize("flags", [{"tp-size": 4}, {"trust-remote-code": False, "tp-size": 1}])
def test_one_setting_once(flags):
    assert said("flags.conflicting_names", service(flags)) == []


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"mem-fraction-static": 0}, "mem-fraction-static 0 must be more than 0"),
        ({"mem-fraction-static": 1.0}, "mem-fraction-static 1 must be less than 1"),
        ({"port": 0}, "port 0 must be at least 1"),
        ({"port": 70000}, "port 70000 must be at most 65535"),
        ({"tp-size": 0}, "tp-size 0 must be at least 1"),
        ({"page-size": -1}, "page-size -1 must be at least 1"),
        ({"swa-full-tokens-ratio": 0}, "swa-full-tokens-ratio 0 must be more than 0"),
        ({"chunked-prefill-size": -2}, "chunked-prefill-size -2 must be at least -1"),
    ],
)
def test_out_of_range(flags, message):
    assert messages("flags.out_of_range", service(flags)) == [message]


@pytest.mark.parametrize(
    "flags",
    [{"chunked-prefill-size": -1}, {"swa-full-tokens-ratio": 1}, {"port": 65535}, {"schedule-conservativeness": 0}],
)
def test_in_range(flags):
    assert messages("flags.out_of_range", service(flags)) == []


def test_a_percentage_is_recognised():
    (problem,) = said("flags.out_of_range", service({"mem-fraction-static": 85}))
    assert problem.help == "did you mean 0.85?"


@pytest.mark.parametrize(
    ("release", "environment", "wrong"),
    [("0.5.10", {}, False), ("0.5.11", {}, True), ("0.5.15.post1", {}, True), ("0.5.16", {}, False),
     ("0.5.11", {"SGLANG_GRPC_PORT": 50051}, False)],
)  # fmt: skip
def test_port_that_leaves_none_for_grpc(release, environment, wrong):
    view = service({"port": 60000}, release=release, environment=environment)
    assert bool(said("flags.out_of_range", view)) == wrong


@pytest.mark.parametrize(
    ("release", "value", "help_"),
    [
        ("0.5.12", "EAGEL", "did you mean EAGLE?"),
        ("0.5.15", "DSPARK", "write one of"),
        ("0.5.16", "DSPARK", None),
        ("0.5.16", "dspark", None),
        ("0.5.12", "NEXTN", None),
    ],
)
def test_algorithms_without_choices(release, value, help_):
    problems = said("flags.late_choice", service({"speculative-algorithm": value}, release=release))
    assert bool(problems) == (help_ is not None)
    assert all(problem.help.startswith(help_) or "did you mean" in problem.help for problem in problems)


@pytest.mark.parametrize(("value", "wrong"), [("info", False), ("INFO", True), ("verbose", True), ("debug", False)])
def test_log_levels(value, wrong):
    assert bool(said("flags.late_choice", service({"log-level": value}))) == wrong


@pytest.mark.parametrize(
    ("flags", "wrong"),
    [
        ({"lora-paths": ["-a=/x", "b=/y"]}, True),
        ({"lora-paths": ["-a=/x"]}, False),
        ({"lora-paths": ["a=/x", "--"]}, True),
        ({"served-model-name": "--"}, True),
        ({"served-model-name": "-x"}, False),
        ({"served-model-name": "a\x00b"}, True),
        ({"cuda-graph-bs": [1, 2]}, False),
    ],
)
def test_what_no_command_line_can_say(flags, wrong):
    assert bool(said("flags.unsayable_value", service(flags))) == wrong


@pytest.mark.parametrize(
    ("value", "wrong"),
    [("~/m", True), ("~", True), ("~me/m", True), ("$HOME/m", True), ("a/${B}/c", True), ("/srv/m~1", False),
     ("price$", False), ("$5", False), ("/srv/~/m", False), ("org/model", False)],
)  # fmt: skip
def test_what_a_shell_would_expand(value, wrong):
    assert bool(said("flags.unexpanded_value", service({"served-model-name": value}))) == wrong


@pytest.mark.parametrize(
    ("flags", "secrets", "wrong"),
    [
        ({"model-path": None}, {}, True),
        ({"model-path": None, "model": "/m"}, {}, False),
        ({"model-path": None}, {"model-path": "MODEL"}, False),
    ],
)
def test_model_path_by_any_name(flags, secrets, wrong):
    view = service(secrets=secrets)
    given = {name: value for name, value in {**view.service.flags, **flags}.items() if value is not None}
    view = service(release="0.5.9", secrets=secrets)
    view.service.flags.clear()
    view.service.flags.update(given)
    assert bool(said("flags.missing_required_flag", view)) == wrong


def test_flags_that_nobody_can_see_through():
    view = service({"tp-size": 2, "config": "/etc/more.yaml"})
    tp = view.release.by_name["tp-size"]._replace(opaque=True, why_opaque="its type is computed")
    flags = tuple(tp if flag.dest == tp.dest else flag for flag in view.release.flags)
    view = replace(view, release=replace(view.release, flags=flags))
    opaque, config = said("flags.unchecked_flag", view)
    assert "tp-size is not checked" in opaque.message
    assert "its type is computed" in opaque.message
    assert config.route == ("flags", "config")
    assert said("flags.bad_type", view) == []


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        ({"tp-size": "two"}, "bad_type"),
        ({"data-parallel-size": []}, "bad_type"),
        ({"dp-size": {}}, "bad_type"),
        ({"speculative-draft-model": 3}, "bad_type"),
        ({"speculative-draft-model": "a\0"}, "unsayable_value"),
        ({"nsa-prefill-cp-mode": "x"}, "bad_choice"),
    ],
)
def test_what_is_wrong_is_said_of_the_name_that_is_written(flags, rule):
    (problem,) = said(f"flags.{rule}", service(flags))
    (name,) = flags
    assert problem.message.startswith((f"{name} ", f"{name}:"))


def test_a_missing_model_takes_its_example_from_the_facts():
    def help_with(known):
        view = service(known=known)
        bare = replace(view, service=view.service.model_copy(update={"flags": {}}))
        (problem,) = said("flags.missing_required_flag", bare)
        return problem.help

    assert help_with(None) == help_with(facts()) == "add `model-path: /srv/models/Qwen3-8B`"
    assert help_with(facts(checkpoints=[{"path": "/data/a"}])) == "add `model-path: /data/a`"
    several = facts(checkpoints=[{"path": f"/data/{name}"} for name in "abc"])
    assert help_with(several) == "add `model-path: /data/a`, or the path of another checkpoint there: /data/b, /data/c"
    many = facts(checkpoints=[{"path": f"/data/{number}"} for number in range(9)])
    assert help_with(many) == "add `model-path: /data/0`, or the path of another of the 9 checkpoints there"
