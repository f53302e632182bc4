"""Release, GPUs, secrets: the keys of a service besides its flags."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.said import messages, said
from rules.views import facts, service
from sgfleet.rules.ranks import Layout
from sgfleet.rules.rule import Together

TOO_FAR = "base-gpu-id and gpu-id-step lead to GPU 4, and there are 4 GPUs on example-01"


@pytest.mark.parametrize(
    ("flags", "gpus", "known", "message"),
    [
        ({"tp-size": 8}, [0, 1, 2, 3], None, "8 ranks need as many GPUs, and there are 4 GPUs in gpus"),
        ({"tp-size": 4}, [0, 1, 2, 3], None, None),
        ({"tp-size": 2, "pp-size": 2, "dp-size": 2}, [0, 1, 2, 3], None,
         "8 ranks need as many GPUs, and there are 4 GPUs in gpus"),
        ({"tp-size": 4, "dp-size": 4, "enable-dp-attention": True}, [0, 1, 2, 3], None, None),
        ({"tp-size": 8}, "all", None, None),
        ({"tp-size": 8}, "all", 4, "8 ranks need as many GPUs, and there are 4 GPUs on example-01"),
        ({"tp-size": 8, "nnodes": 2, "dist-init-addr": "a:1"}, "all", 4, None),
        ({"tp-size": 2, "base-gpu-id": 3}, "all", 4, TOO_FAR),
        ({"tp-size": 2, "gpu-id-step": 4}, "all", 4, TOO_FAR),
        ({"tp-size": "8"}, [0], None, None),
        ({"tp-size": 8, "device": "cpu"}, [0], None, None),
        ({"tp-size": 1}, "all", 1, None),
    ],
)  # fmt: skip
def test_ranks_and_gpus(flags, gpus, known, message):
    view = service(flags, gpus=gpus, known=facts(gpus=known) if known is not None else None)
    assert messages("service.more_ranks_than_gpus", view) == ([message] if message else [])


def test_the_arithmetic_is_shown():
    (problem,) = said("service.more_ranks_than_gpus", service({"tp-size": 4, "pp-size": 2}, gpus=[0, 1, 2, 3]))
    assert problem.arithmetic == ("tp-size 4 × pp-size 2 = 8 ranks; 4 GPUs in gpus",)


@given(tp=st.integers(1, 16), pp=st.integers(1, 4), replicas=st.integers(1, 4), base=st.integers(0, 3))
def test_ranks_of_one_node_take_as_many_gpus(tp, pp, replicas, base):
    made = Layout(tp, pp, replicas, base=base)
    assert sorted(made.devices()) == list(range(base, base + made.total))


@given(tp=st.sampled_from([2, 4, 8, 16]), nodes=st.sampled_from([1, 2]), step=st.integers(1, 3))
def test_every_node_takes_its_share(tp, nodes, step):
    made = Layout(tp, 1, 1, nodes=nodes, step=step)
    assert len(set(made.devices())) == made.on_host == tp // nodes


@pytest.mark.parametrize(
    ("flags", "gpus", "message"),
    [
        ({"tp-size": 2}, [4, 5, 6], "GPU 6 has no rank"),
        ({}, [0, 1, 2], "GPUs 1, 2 have no rank"),
        ({"tp-size": 2, "gpu-id-step": 2}, [0, 1, 2], "GPU 1 has no rank"),
        ({"tp-size": 8}, [0, 1], None),
        ({}, "all", None),
    ],
)
def test_idle_gpus(flags, gpus, message):
    assert messages("service.idle_gpus", service(flags, gpus=gpus)) == ([message] if message else [])


@pytest.mark.parametrize(
    ("flags", "gpus", "help_"),
    [
        ({}, [0, 1, 2, 3], "write `gpus: [0]`, or `tp-size: 4` to use them all"),
        ({"tp-size": 2, "pp-size": 2}, [0, 1, 2, 3, 4, 5, 6, 7], "write `gpus: [0, 1, 2, 3]`, or `tp-size: 4` to use"),
        ({"tp-size": 2}, [0, 1, 2], "write `gpus: [0, 1]`"),
        ({"tp-size": 2, "base-gpu-id": 1}, [0, 1, 2], "write `gpus: [1, 2]` and remove base-gpu-id"),
        ({"tp-size": 2, "gpu-id-step": 2}, [5, 1, 2], "write `gpus: [5, 2]` and remove gpu-id-step"),
        ({"tp-size": 2, "pp-size": 2, "gpu-id-step": 2}, [0, 1, 2, 3, 4], "write `gpus: [0, 1, 2, 4]` and remove gpu"),
        ({"dp-size": 3, "tp-size": 3, "enable-dp-attention": True}, [0, 1, 2, 3], "write `gpus: [0, 1, 2]`"),
    ],
)
def test_idle_gpus_can_be_left_out_or_used(flags, gpus, help_):
    (problem,) = said("service.idle_gpus", service(flags, gpus=gpus))
    assert problem.help.startswith(help_)
    if "remove" in help_ or " or " not in problem.help:
        assert problem.help.count("`") == 2, "no tp-size is named that another flag does not go with"


def together(known, services):
    """The first of these services, as one of all of them on their host."""
    views = Together()
    for name, (flags, gpus) in services.items():
        views[name] = replace(service(flags, name=name, gpus=gpus, known=known), together=views)
    return next(iter(views.values()))


NO_MORE = "take it out and lower the sizes, or move the service to another host"


@pytest.mark.parametrize(
    ("services", "helps"),
    [
        ({"a": ({"tp-size": 2}, [0, 9])}, ["write 1"]),
        ({"a": ({"tp-size": 2}, [0, 9]), "b": ({}, [1])}, ["write 2"]),
        ({"a": ({"tp-size": 3}, [0, 8, 9]), "b": ({}, [1])}, ["write 2", "write 3"]),
        ({"a": ({}, [0, 9])}, ["take it out: no rank uses it"]),
        ({"a": ({}, [9]), "b": ({"tp-size": 4}, "all")},
         ["none is without a service: move the service to another host"]),
        ({"a": ({"base-gpu-id": 1}, [0, 9])}, ["write 1"]),
        ({"a": ({"tp-size": 2}, [0, 9]), "b": ({"tp-size": 3}, [1, 2, 3])},
         [f"none is without a service: {NO_MORE}"]),
        ({"a": ({"tp-size": 3}, [0, 8, 9]), "b": ({"tp-size": 2}, [1, 2])},
         [f"2 more are needed, and only 1 is without a service: {NO_MORE}"] * 2),
        ({"a": ({"tp-size": 2}, [0, 9]), "b": ({"tp-size": 4}, "all")}, [f"none is without a service: {NO_MORE}"]),
    ],
)  # fmt: skip
def test_only_gpus_that_are_to_be_had_are_named(services, helps):
    assert [each.help for each in said("service.no_such_gpu", together(facts(gpus=4), services))] == helps


@pytest.mark.parametrize(
    ("services", "help_"),
    [
        ({"a": ({"tp-size": 4, "base-gpu-id": 1}, [0, 1])},
         "write tp-size 2 and remove base-gpu-id, or write `gpus: [0, 1, 2, 3]` and remove base-gpu-id"),
        ({"a": ({"tp-size": 4, "base-gpu-id": 1}, [0, 1]), "b": ({}, [0])},
         "give it 4 GPUs, on another host if need be, or lower the sizes"),
        ({"a": ({"tp-size": 8}, "all")}, "write tp-size 4"),
        ({"a": ({"tp-size": 8, "base-gpu-id": 1}, "all")}, "write tp-size 2"),
        ({"a": ({"tp-size": 2, "base-gpu-id": 3}, "all"), "b": ({}, [0])},
         "write `gpus: [1, 3]` and remove base-gpu-id"),
        ({"a": ({"tp-size": 2, "base-gpu-id": 1}, [2, 3])}, "remove base-gpu-id"),
        ({"a": ({"tp-size": 2, "base-gpu-id": 1}, [2, 3]), "b": ({}, [2])},
         "write `gpus: [0, 3]` and remove base-gpu-id"),
        ({"a": ({"tp-size": 8, "dp-size": 8, "enable-dp-attention": True}, "all")},
         "give it 8 GPUs, on another host if need be, or lower the sizes"),
        ({"a": ({"tp-size": 8, "ep-size": 2}, [0, 1, 2])}, "write tp-size 2"),
        ({"a": ({"tp-size": 2, "pp-size": 2}, [0, 1])}, "write `gpus: [0, 1, 2, 3]`"),
    ],
)  # fmt: skip
def test_sizes_and_gpus_that_suffice_are_named(services, help_):
    (problem,) = said("service.more_ranks_than_gpus", together(facts(gpus=4), services))
    assert problem.help == help_


def test_one_gpu_is_no_plural():
    (problem,) = said("service.no_such_gpu", service(gpus=[1], known=facts(gpus=1)))
    assert problem.message == "example-01 has no GPU 1: it has GPU 0"


def test_gpus_that_are_not_there():
    (problem,) = said("service.no_such_gpu", service(gpus=[0, 9], known=facts(gpus=8)))
    assert problem.message == "example-01 has no GPU 9: it has GPUs 0 to 7"
    assert problem.route == ("gpus", 1)
    assert messages("service.no_such_gpu", service(gpus="all", known=facts(gpus=0))) == ["example-01 has no GPU"]
    assert said("service.no_such_gpu", service(gpus=[9])) == []
    assert said("service.no_such_gpu", service(gpus=[9], known=facts())) == []


def test_repeated_gpus():
    problems = said("service.repeated_gpu", service(gpus=[0, 1, 0, 0]))
    assert [problem.route for problem in problems] == [("gpus", 2), ("gpus", 3)]
    assert problems[0].help == "write `gpus: [0, 1]`"


def test_release_without_schema_names_near_ones():
    (problem,) = said("service.release_without_schema", service({"a": 1, "b": 2}, release="0.5.99"))
    assert problem.message == "there is no flag schema of SGLang 0.5.99: 3 flags are not checked"
    assert problem.help.startswith("run `sgfleet schema add 0.5.99`; the nearest known are 0.5.")
    assert said("service.release_without_schema", service()) == []


@pytest.mark.parametrize(
    ("release", "python", "wrong"),
    [
        ("0.5.9", "/opt/sglang-0.5.9/bin/python3", False),
        ("0.5.9", "/opt/sglang-0.5.12/bin/python3", True),
        ("0.5.9.post1", "/opt/sglang-0.5.9/bin/python3", False),
        ("0.5.9", "/opt/sglang-0.5.9.post1/bin/python3", True),
        ("0.5.9", "/opt/sglang-v0.5.9/bin/python3", False),
        ("0.5.9", "/opt/sglang/bin/python3.11", False),
        ("0.5.9", "/opt/sglang_0.5.12-cu129/bin/python3", True),
        ("0.5.9", "/opt/python-3.11.4/bin/python3", False),
    ],
)
def test_interpreters_named_for_a_release(release, python, wrong):
    assert bool(said("service.interpreter_of_another_release", service(release=release, python=python))) == wrong


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("api-key", False), ("trust-remote-code", True), ("tp-size", True), ("kv-cache-dtype", True), ("lora-paths", True),
     ("no-such-flag", False)],
)  # fmt: skip
def test_flags_that_can_be_secret(name, wrong):
    view = service(secrets={name: "VALUE"}, environment_files=["/etc/secrets.env"])
    assert bool(said("service.secret_of_no_text", view)) == wrong


def test_secrets_and_where_they_are():
    bare = service(secrets={"api-key": "KEY"})
    here = service(secrets={"api-key": "KEY"}, environment={"KEY": "correct-horse"})
    kept = service(secrets={"api-key": "KEY"}, environment_files=["/etc/secrets.env"])
    assert [len(said("service.secret_without_file", view)) for view in (bare, here, kept)] == [1, 0, 0]
    assert [len(said("service.secret_variable_in_spec", view)) for view in (bare, here, kept)] == [0, 1, 0]
    (problem,) = said("service.secret_variable_in_spec", here)
    assert problem.secret
    assert "correct-horse" not in f"{problem.message}{problem.help}"


@pytest.mark.parametrize(
    "flags",
    [
        {"tp-size": 8192},
        {"tp-size": 99_999_999_999_999_999_999},
        {"dp-size": 99_999_999},
        {"pp-size": 9_999_999},
        {"tp-size": 4, "dp-size": 10**9, "pp-size": 10**9},
        {"gpu-id-step": 99_999, "tp-size": 2},
        {"base-gpu-id": 99_999},
    ],
)
def test_any_number_of_ranks_is_more_than_there_are_gpus(flags):
    (problem,) = said("service.more_ranks_than_gpus", service(flags, gpus=[0, 1, 2, 3]))
    assert "4 GPUs in gpus" in problem.message
    assert said("service.idle_gpus", service(flags, gpus=[0, 1, 2, 3])) == []


def test_the_last_position_is_the_largest():
    for numbers in itertools.product((1, 2, 4, 8), (1, 2), (1, 3), (1, 2), (0,), (0, 1), (1, 2)):
        made = Layout(*numbers)
        if made.tp < made.nodes // made.pp:  # `layout` has none of these
            continue
        assert made.last == max(made.devices())


def test_of_a_repeated_gpu_one_rule_speaks():
    assert said("service.idle_gpus", service(gpus=[2, 2])) == []
    assert len(said("service.repeated_gpu", service(gpus=[2, 2]))) == 1


def test_one_gpu_is_one():
    (message,) = messages("service.more_ranks_than_gpus", service({"tp-size": 2}, gpus=[0]))
    assert message == "2 ranks need as many GPUs, and there is 1 GPU in gpus"
