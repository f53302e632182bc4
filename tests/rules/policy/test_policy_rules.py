"""What the policy allows and asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.said import messages, said
from rules.views import fleet, service
from sgfleet.rules.policy._paths import lies_in


@pytest.mark.parametrize(
    ("path", "folders", "inside"),
    [
        ("/opt/a/b", ["/opt"], True),
        ("/opt", ["/opt"], True),
        ("/opt", ["/opt/"], True),
        ("/opt//a/./b", ["/opt/a"], True),
        ("/optional/a", ["/opt"], False),
        ("/opt/../etc", ["/opt"], False),
        ("/opt/a/../b", ["/opt"], False),
        ("/etc/../opt/a", ["/opt"], False),
        ("/a", ["/"], True),
        ("/opt/..a/b", ["/opt"], True),
        ("opt/a", ["/opt"], False),
        ("org/model", ["/"], False),
        ("s3://opt/a", ["/"], False),
        ("//opt/a", ["/opt"], True),
        ("/x", ["/opt", "/x"], True),
        ("/x", [], False),
    ],
)
def test_folders_by_component(path, folders, inside):
    assert lies_in(path, folders) == inside


@given(st.lists(st.sampled_from(["a", "b", "..", ".", ""]), max_size=6))
def test_no_way_out_of_a_folder(parts):
    path = "/allowed/" + "/".join(parts)
    assert lies_in(path, ["/allowed"]) == (".." not in parts)


@pytest.mark.parametrize(
    ("flags", "secrets", "release", "message"),
    [
        ({"tp-size": 1}, {}, "0.5.9", None),
        ({"tensor-parallel-size": 1}, {}, "0.5.9", None),
        ({}, {"tp-size": "X"}, "0.5.9", None),
        ({}, {}, "0.5.9", "the policy requires tp-size"),
        ({}, {}, "0.5.99", "the policy requires tp-size"),
        ({"tp-size": 1}, {}, "0.5.99", None),
    ],
)
def test_required_flags(flags, secrets, release, message):
    view = service(flags, secrets=secrets, release=release, policy={"required-flags": ["tp-size"]})
    assert messages("policy.required_flag", view) == ([message] if message else [])


def test_required_flag_that_the_release_lacks():
    view = service(release="0.4.0", policy={"required-flags": ["hicache-ratio"]})
    assert messages("policy.required_flag", view) == [
        "the policy requires hicache-ratio, which SGLang 0.4.0 does not have"
    ]


@pytest.mark.parametrize(
    ("name", "release", "message", "help_"),
    [
        ("modl-path", "0.5.9", "no release of SGLang has", "in fleet.yaml's policy: did you mean model-path?"),
        ("tp_size", "0.5.9", "no release of SGLang has", "in fleet.yaml's policy: write tp-size"),
        ("zz9", "0.5.9", "no release of SGLang has", "in fleet.yaml's policy: remove it"),
        ("hicache-ratio", "0.4.0", "SGLang 0.4.0 does not have",
         "use a release with hicache-ratio (0.4.4.post2 to 0.5.23), or change the policy"),
        ("cuda-graph-max-bs", "0.5.20", "SGLang 0.5.20 does not have",
         "use a release with cuda-graph-max-bs (0.4.0 to 0.5.19), or change the policy"),
    ],
)  # fmt: skip
def test_the_help_leads_to_a_release_only_where_one_has_the_flag(name, release, message, help_):
    view = service(release=release, policy={"required-flags": [name]})
    (problem,) = said("policy.required_flag", view)
    assert problem.message == f"the policy requires {name}, which {message}"
    assert problem.help == help_


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("tp-size", None),
        ("--tp-size", "write tp-size"),
        ("tp_size", "write tp-size"),
        ("served-model-nam", "did you mean served-model-name?"),
    ],
)
def test_names_in_the_policy(name, help_):
    problems = said("policy.required_flag_name", fleet({"required-flags": [name]}))
    assert [problem.help for problem in problems] == ([help_] if help_ else [])


@pytest.mark.parametrize(("user", "wrong"), [("sglang", False), ("root", True), (None, True)])
def test_accounts(user, wrong):
    keys = {"user": user} if user else {}
    assert bool(said("policy.allowed_user", service(policy={"allowed-users": ["sglang"]}, **keys))) == wrong
    assert said("policy.allowed_user", service(**keys)) == []


@pytest.mark.parametrize(
    ("flags", "routes"),
    [
        ({"model-path": "/srv/models/a"}, []),
        ({"model-path": "org/a"}, [("flags", "model-path")]),
        ({"model-path": "/srv/models/../x", "tokenizer-path": "/x"},
         [("flags", "model-path"), ("flags", "tokenizer-path")]),
        ({"model-path": "/srv/models/a", "lora-paths": ["x=/y", "z=/srv/models/z", "/w"]},
         [("flags", "lora-paths", 0), ("flags", "lora-paths", 2)]),
        ({"model-path": "/srv/models/a", "lora-paths": [{"lora_name": "x", "lora_path": "/y"}]},
         [("flags", "lora-paths", 0, "lora_path")]),
    ],
)  # fmt: skip
def test_models(flags, routes):
    view = service(flags, policy={"allowed-models": ["/srv/models"]})
    assert [problem.route for problem in said("policy.allowed_model", view)] == routes
    assert said("policy.allowed_model", service(flags)) == []


@pytest.mark.parametrize(
    ("environment", "count"),
    [
        ({"LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4"}, 0),
        ({"LD_PRELOAD": "/opt/lib/a.so /home/me/b.so"}, 1),
        ({"PYTHONPATH": "/home/me:/opt/x:relative"}, 2),
        ({"LD_LIBRARY_PATH": "/home/me"}, 0),
    ],
)
def test_code_from_elsewhere(environment, count):
    view = service(environment=environment, policy={"allowed-python": ["/opt"]})
    assert len(said("policy.code_from_elsewhere", view)) == count
    assert said("policy.code_from_elsewhere", service(environment=environment)) == []
