"""What the services of a host share."""

from __future__ import annotations

import re

import pytest

from rules.said import said
from rules.views import facts, host, service
from sgfleet.engine import store
from sgfleet.findings import Severity
from sgfleet.rules import gpus
from sgfleet.rules.arguments import Arguments
from sgfleet.rules.host._ports import ports


def two(first, second, known=None, **keys):
    return host(
        {
            "a": service(first, name="a", known=known, gpus=keys.get("gpus_a", [0])),
            "b": service(second, name="b", known=known, gpus=keys.get("gpus_b", [1])),
        },
        known,
    )


def numbers(flags, release="0.5.9"):
    return [port.number for port in ports(Arguments(store.load(release), flags, {}))]


@pytest.mark.parametrize(
    ("release", "flags", "expected"),
    [
        ("0.5.9", {}, [30000]),
        ("0.5.9", {"port": 40000, "nccl-port": 41000}, [40000, 41000]),
        ("0.5.9", {"disaggregation-mode": "prefill"}, [30000, 8998]),
        ("0.5.9", {"disaggregation-mode": "decode"}, [30000]),
        ("0.5.9", {"dist-init-addr": "10.0.0.1:20000"}, [30000, 20000]),
        ("0.5.9", {"node-rank": 1, "nnodes": 2, "dist-init-addr": "10.0.0.1:20000"}, []),
        ("0.5.9", {"tp-size": 2, "dp-size": 2, "enable-dp-attention": True}, [30000, *range(30233, 30239)]),
        ("0.5.13", {"tp-size": 2, "dp-size": 2, "enable-dp-attention": True}, [30000, *range(30233, 30240)]),
        ("0.5.3", {"tp-size": 2, "dp-size": 2, "enable-dp-attention": True}, [30000, *range(30233, 30241)]),
        ("0.4.3", {"tp-size": 2, "enable-dp-attention": True}, [30000, *range(30233, 30239)]),
        ("0.4.1", {"tp-size": 2, "enable-dp-attention": True}, [30000]),
        ("0.5.23", {"tp-size": 2, "attn-dp-size": 2, "grpc-port": 50051}, [30000, 50051, *range(30233, 30240)]),
        ("0.5.9", {"kv-events-config": {"publisher": "zmq"}}, [30000, 5557]),
        ("0.5.9", {"kv-events-config": '{"publisher": "zmq", "endpoint": "tcp://*:6000", "replay_endpoint": "tcp://*:6001"}'},
         [30000, 6000, 6001]),
        ("0.5.9", {"kv-events-config": "{bad"}, [30000]),
    ],
)  # fmt: skip
def test_ports_of_a_service(release, flags, expected):
    assert numbers(flags, release) == expected


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({}, {}, "port 30000 is used twice on example-01: by a and b"),
        ({"port": 30000}, {"port": 30001}, None),
        ({"port": 30001}, {}, None),
        ({"port": 30001, "nccl-port": 30000}, {}, "port 30000 is used twice on example-01: by a and b"),
        ({"port": 30000, "nccl-port": 30000}, {"port": 30100}, "port 30000 is used twice on example-01: by a"),
        ({"tp-size": 2, "dp-size": 2, "enable-dp-attention": True}, {"port": 30235},
         "port 30235 is used twice on example-01: by a and b"),
        ({"tp-size": 2, "dp-size": 2, "enable-dp-attention": True},
         {"tp-size": 2, "dp-size": 2, "enable-dp-attention": True, "port": 30003},
         "port 30236 is used twice on example-01: by a and b (and 2 more)"),
        ({"disaggregation-mode": "prefill"}, {"disaggregation-mode": "prefill", "port": 30001},
         "port 8998 is used twice on example-01: by a and b"),
    ],
)  # fmt: skip
def test_ports_used_twice(first, second, message):
    problems = said("host.port_used_twice", two(first, second))
    assert [problem.message for problem in problems] == ([message] if message else [])


def _moved(flags, help_):
    """The flags with the port that a help names for them."""
    flag, value = re.search(r"`([\w-]+): (\S+)`", help_).groups()
    return {**flags, flag: int(value) if value.isdecimal() else value}


ATTENTION = {"tp-size": 2, "dp-size": 2, "enable-dp-attention": True}


@pytest.mark.parametrize(
    "flags",
    [
        [{}, {}, {}, {}],
        [{"port": 30000}, {"port": 30000}, {"port": 30100}, {"port": 30000, "nccl-port": 30200}],
        [{"port": 30000}, ATTENTION, {**ATTENTION, "port": 29900}, {"port": 30133}],
        [ATTENTION, ATTENTION, {"port": 30333}, {"port": 30433, "nccl-port": 30500}],
        [{"dist-init-addr": "10.0.0.1:20000"}, {"port": 30001, "dist-init-addr": "10.0.0.1:20000"}, {"port": 30002}],
        [{"disaggregation-mode": "prefill"}, {"disaggregation-mode": "prefill"}],
        [{"port": 64990}, {"port": 64990}, {"port": 80}, {"port": 80}],
        [{"grpc-port": 30000}],
    ],
)  # fmt: skip
def test_every_port_that_is_proposed_is_free_when_all_are_taken(flags):
    """Each help alone leaves none of what it is about, and all together leave nothing."""
    release = "0.5.23" if any("grpc-port" in each for each in flags) else "0.5.9"
    names = "abcd"[: len(flags)]

    def of(flags):
        services = dict(zip(names, flags, strict=True))
        return host({name: service(each, name=name, release=release) for name, each in services.items()})

    found, all_moved = said("host.port_used_twice", of(flags)), list(flags)
    assert found
    for problem in found:
        at = names.index(problem.route[1])
        all_moved[at] = _moved(all_moved[at], problem.help)
        one_moved = [_moved(each, problem.help) if at == place else each for place, each in enumerate(flags)]
        after = {(each.route[1], each.arithmetic) for each in said("host.port_used_twice", of(one_moved))}
        assert after < {(each.route[1], each.arithmetic) for each in found}
    assert said("host.port_used_twice", of(all_moved)) == []


def test_the_port_of_events_is_moved_where_it_stands():
    events = {"kv-events-config": {"publisher": "zmq"}}
    (problem,) = said("host.port_used_twice", two(events, {**events, "port": 30001}))
    assert problem.help == "write another port into `endpoint` of b, such as 30100"


@pytest.mark.parametrize(
    ("first", "second", "keys", "message"),
    [
        ({}, {}, {}, None),
        ({"tp-size": 2}, {}, {"gpus_a": [0, 1]}, "GPU 1 is used by a and by b"),
        ({"tp-size": 2}, {"tp-size": 2}, {"gpus_a": "all", "gpus_b": "all"}, "GPUs 0, 1 are used by a and by b"),
        ({"tp-size": 2}, {"tp-size": 2, "base-gpu-id": 2}, {"gpus_a": "all", "gpus_b": "all"}, None),
        ({"tp-size": 2, "gpu-id-step": 2}, {"tp-size": 2, "base-gpu-id": 1, "gpu-id-step": 2},
         {"gpus_a": "all", "gpus_b": "all"}, None),
        ({"dp-size": 2}, {}, {"gpus_a": "all"}, "GPU 1 is used by a and by b"),
        ({"tp-size": 2, "dp-size": 2, "enable-dp-attention": True}, {}, {"gpus_a": "all", "gpus_b": [2]}, None),
        ({"tp-size": 1}, {}, {"gpus_a": [1, 0], "gpus_b": [1]}, "GPU 1 is used by a and by b"),
    ],
)  # fmt: skip
def test_gpus_used_twice(first, second, keys, message):
    problems = said("host.gpu_used_twice", two(first, second, **keys))
    assert [problem.message for problem in problems] == ([message] if message else [])


def test_a_service_is_reported_once_however_many_take_its_gpus():
    services = {name: service({}, name=name, gpus=[0] if name == "a" else [0, 1]) for name in "abcdefg"}
    found = said("host.gpu_used_twice", host(services))
    assert [(problem.route[1], problem.message) for problem in found[:3]] == [
        ("b", "GPU 0 is used by a and by b"),
        ("c", "GPU 0 is used by a and by c (one of 2 that share GPUs with c)"),
        ("d", "GPU 0 is used by a and by d (one of 3 that share GPUs with d)"),
    ]
    assert len(found) == 6
    assert [said for _, said in found[-1].related] == ["a, GPU 0", "b, GPU 0", "c, GPU 0", "d, GPU 0"]


CARD = {"name": "NVIDIA L40S", "memory-mib": 46068}
BROKEN = {"index": 2, "name": "NVIDIA L40S", "problem": "it has fallen off the bus"}
FULL = "without another service: {} missing; lower the sizes of a service, or move one to another host"
SLICED = {"index": 2, **CARD, "mig": True}


@pytest.mark.parametrize(
    ("second", "gpus", "third", "help_"),
    [
        ({}, [0], {}, "write `gpus: [1]`"),
        ({"tp-size": 2}, [0, 1], {}, "write `gpus: [1, 3]`"),
        ({"tp-size": 2}, [0, 2], {}, "write `gpus: [1, 3]`"),
        ({"tp-size": 2, "gpu-id-step": 2}, "all", {}, "write `gpus: [1, 3]` and remove gpu-id-step"),
        ({"base-gpu-id": 1, "gpu-id-step": 2}, [2, 0, 1], {},
         "write `gpus: [1]` and remove base-gpu-id and gpu-id-step"),
        ({"tp-size": 4}, "all", {}, f"its 4 ranks need as many GPUs, and only 2 are {FULL.format('2 are')}"),
        ({}, [0], {"tp-size": 2, "gpus": [1, 3]}, f"its rank needs a GPU, and none is {FULL.format('1 is')}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("unusable", [BROKEN, SLICED], ids=["broken", "mig"])
def test_gpus_are_named_where_they_suffice(second, gpus, third, help_, unusable):
    known = facts(gpus=[*({"index": index, **CARD} for index in (0, 1, 3)), unusable])
    services = {"a": service({}, name="a", gpus=[0]), "b": service(second, name="b", gpus=gpus)}
    if third:
        services["c"] = service({"tp-size": third["tp-size"]}, name="c", gpus=third["gpus"])
    problem = next(each for each in said("host.gpu_used_twice", host(services, known)) if each.route[1] == "b")
    assert problem.help == help_


def test_every_service_gets_gpus_of_its_own():
    services = {name: service({}, name=name, gpus=[0]) for name in "abcde"}
    helps = [problem.help for problem in said("host.gpu_used_twice", host(services, facts(gpus=4)))]
    assert helps[:3] == [f"write `gpus: [{index}]`" for index in (1, 2, 3)]
    assert helps[3].startswith("its rank needs a GPU, and none is")


def test_a_service_that_may_take_every_gpu_leaves_none():
    services = {
        "a": service(name="a", release="0.5.99", gpus="all"),
        "b": service(name="b", gpus=[0]),
        "c": service(name="c", gpus=[0]),
    }
    assert {problem.help for problem in said("host.gpu_used_twice", host(services, facts(gpus=4)))} == {
        f"its rank needs a GPU, and none is {FULL.format('1 is')}"
    }


def test_a_release_without_schema_counts_all_its_gpus():
    view = host({"a": service(name="a", release="0.5.99", gpus=[0, 1]), "b": service(name="b", gpus=[1])})
    assert len(said("host.gpu_used_twice", view)) == 1


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ({"a": [], "b": ["a"], "c": ["b"]}, None),
        ({"a": ["b"], "b": ["a"], "c": []}, "a waits for b, and b for a"),
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, "a waits for b, b for c, and c for a"),
        ({"a": ["a"], "b": [], "c": []}, None),
    ],
)
def test_cycles(after, message):
    services = {
        name: service(name=name, unit={"after": [f"{other}.service" for other in others]})
        for name, others in after.items()
    }
    problems = said("host.ordering_cycle", host(services))
    assert [problem.message for problem in problems] == ([message] if message else [])


def test_who_takes_which_gpu_is_worked_out_once_a_service(monkeypatch):
    """Each of many services with a finding asks what is left for it: the work must not grow with their square."""
    asked = []
    monkeypatch.setattr(gpus, "gpus_of", lambda each, of=gpus.gpus_of: (asked.append(each.name), of(each))[1])
    services = {f"s{number}": service({}, name=f"s{number}", gpus=[0]) for number in range(30)}
    assert len(said("host.gpu_used_twice", host(services, facts(gpus=8)))) == 29
    assert len(asked) == 30


@pytest.mark.parametrize(
    ("unit", "meant"),
    [
        ("sglang-chatt.service", "sglang-chat"),
        ("sglang_chat.service", "sglang-chat"),
        ("sglang-caht.service", "sglang-chat"),
        ("SGLang-Chat.service", "sglang-chat"),
        ("slang-chat.service", "sglang-chat"),
        ("sglang-chat.service", None),
        ("sglang-chat.socket", None),
        ("sglang-embedding.service", None),
        ("nvidia-persistenced.service", None),
        ("network-online.target", None),
        # An own name is another rule's, and what is near the service itself is not taken for a sibling.
        ("sglang-draft.service", None),
        ("sglang-draftt.service", None),
    ],
)
@pytest.mark.parametrize("key", ["after", "wants", "requires"])
def test_units_that_are_nearly_a_sibling(key, unit, meant):
    services = {"sglang-chat": service(), "sglang-draft": service(unit={key: [unit]})}
    problems = said("host.misspelt_unit", host(services))
    assert [(each.route, each.help) for each in problems] == (
        [(("services", "sglang-draft", "unit", key, 0), f"did you mean {meant}.service?")] if meant else []
    )
    assert {each.severity for each in problems} <= {Severity.ERROR if key == "requires" else None}


def test_siblings_that_could_not_be_read_are_there_all_the_same():
    services = {"sglang-chat": service(), "draft": service(unit={"requires": ["sglang-chatt.service"]})}
    assert said("host.misspelt_unit", host(services)._replace(unresolved=("sglang-chatt",))) == []
    (problem,) = said("host.misspelt_unit", host(services))
    assert problem.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("there", "asked", "is_slip"),
    [
        ("chat-2", "chat-1", False),
        ("sglang-chat2", "sglang-chat1", False),
        ("sglang-chat2", "sglang-chat", False),
        ("sglang-chat", "sglang-chat-2", False),
        ("node2", "node1", False),
        ("node2-chat", "node1-chat", False),
        ("chat-9", "chat-10", False),
        ("sglang-b", "sglang-a", False),
        ("node1a", "node1b", False),
        ("sglang-chat2", "sglang_chat2", True),
        ("sglang-chat2", "sglang-caht2", True),
        ("sglang-chat-a", "sglang-caht-a", True),
        ("sglang-chat", "sglang-chatt", True),
        ("sglang-chat", "sglang-chay", True),
    ],
)
@pytest.mark.parametrize("key", ["after", "wants", "requires"])
def test_a_row_of_units_has_others_of_other_numbers(there, asked, is_slip, key):
    services = {there: service(), "front-end": service(unit={key: [f"{asked}.service"]})}
    assert bool(said("host.misspelt_unit", host(services))) is is_slip
