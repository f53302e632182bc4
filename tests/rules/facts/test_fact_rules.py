"""Facts: missing, incomplete, old, and at odds with the spec."""

from __future__ import annotations

import pytest

from rules.checking import check
from rules.said import messages, said
from rules.views import facts, host, service
from sgfleet.findings import Severity

POLICY = {"facts-max-age": "30d"}


def read(when):
    return facts(gpus=0, read={"gpus": {"how": "nvidia-smi"} | ({"when": when} if when else {})})


@pytest.mark.parametrize(
    ("when", "severity"),
    [
        ("2026-04-01T00:00:00Z", None),
        ("2026-03-31T23:59:59Z", "default"),
        ("2024-01-01T00:00:00Z", "default"),
        ("2027-01-01T00:00:00Z", None),
        (None, Severity.NOTE),
    ],
)
def test_age(when, severity):
    problems = said("facts.stale_facts", host({}, read(when), POLICY))
    assert [problem.severity or "default" for problem in problems] == ([severity] if severity else [])


def test_age_counts_only_where_the_policy_says_so():
    assert said("facts.stale_facts", host({}, read("2000-01-01T00:00:00Z"))) == []
    assert said("facts.stale_facts", host({}, None, POLICY)) == []
    assert said("facts.stale_facts", host({}, read("2000-01-01T00:00:00Z"), POLICY, today=None)) == []


def test_what_was_observed_does_not_age():
    known = facts(gpus=0, read={"observed": {"how": "log", "when": "2000-01-01T00:00:00Z"}})
    assert said("facts.stale_facts", host({}, known, POLICY)) == []


def test_missing_facts():
    assert len(said("facts.host_without_facts", host({}))) == 1
    assert said("facts.host_without_facts", host({}, facts())) == []


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "which GPUs it has, how much RAM there is"),
        ({"gpus": [{"index": 0, "name": "NVIDIA L4"}], "memory": {"total-bytes": 1}},
         "how much memory each GPU has, the GPUs' compute capability"),
        ({"gpus": [], "memory": {"available-bytes": 1}}, None),
    ],
)  # fmt: skip
def test_parts_that_are_missing(known, words):
    found = messages("facts.incomplete_facts", host({}, facts(**known)))
    assert bool(found) == (words is not None)
    assert all(words in message for message in found)


@pytest.mark.parametrize(
    ("environments", "message"),
    [
        ([], None),
        ([{"python": "/opt/sglang/bin/python3", "release": "0.5.9"}], None),
        ([{"python": "/opt/sglang/bin/python3"}],
         "which SGLang /opt/sglang/bin/python3 has on example-01 is not known"),
        ([{"python": "/opt/sglang/bin/python3", "release": "0.5.8"}],
         "the release is 0.5.9, and /opt/sglang/bin/python3 has SGLang 0.5.8"),
        ([{"python": "/opt/other/bin/python3", "release": "0.5.9"}],
         "/opt/sglang/bin/python3 is none of the environments that were found on example-01"),
    ],
)  # fmt: skip
def test_what_is_installed(environments, message):
    found = messages("facts.installed_release", service(known=facts(gpus=0, environments=environments)))
    assert found == ([message] if message else [])


A, B, C = ({"python": f"/opt/{name}/bin/python3", "release": release}
           for name, release in (("a", "0.5.8"), ("b", "0.5.9"), ("c", "0.5.9")))  # fmt: skip


@pytest.mark.parametrize(
    ("python", "environments", "help_"),
    [
        ("/opt/z/bin/python3", [A, B], "write /opt/b/bin/python3, or run `sgfleet facts` again"),
        ("/opt/z/bin/python3", [A, B, C], "write one of /opt/b/bin/python3, /opt/c/bin/python3, or run"),
        ("/opt/z/bin/python3", [A], "none of them has SGLang 0.5.9: install it on the host, then run"),
        ("/opt/a/bin/python3", [A], 'write `release: "0.5.8"`, or install 0.5.9 on the host first'),
        ("/opt/a/bin/python3", [A, B], 'write `python: /opt/b/bin/python3`, or write `release: "0.5.8"`, or install'),
    ],
)
def test_only_environments_of_the_release_are_named(python, environments, help_):
    view = service(python=python, known=facts(gpus=0, environments=environments))
    (problem,) = said("facts.installed_release", view)
    assert problem.help.startswith(help_)


@pytest.mark.parametrize(
    ("path", "help_"),
    [
        ("/srv/models/Qwen3-8B", None),
        ("/srv/models//Qwen3-8B/", None),
        ("/srv/models/Qwen3-8b", "did you mean /srv/models/Qwen3-8B?"),
        ("/srv/models/zzz", "did you mean"),
        ("/elsewhere/Qwen3-8b", None),
        ("Qwen/Qwen3-8B", None),
    ],
)
def test_checkpoints(path, help_):
    known = facts(gpus=0, checkpoints=[{"path": "/srv/models/Qwen3-8B"}])
    problems = said("facts.checkpoint_not_found", service({"model-path": path}, known=known))
    assert bool(problems) == (help_ is not None)
    assert all(problem.help.startswith(help_) for problem in problems)
    assert said("facts.checkpoint_not_found", service({"model-path": path}, known=facts(gpus=0))) == []


def test_an_environment_that_could_not_be_read_is_not_found():
    unknown = {"environments./opt/sglang/bin/python3": "there is no /opt/sglang/bin/python3"}
    known = facts(gpus=0, environments=[{"python": "/opt/sglang/bin/python3"}], unknown=unknown)
    (problem,) = said("facts.installed_release", service(known=known))
    assert "there is no" in problem.message
    assert problem.severity == "warning"


def test_a_checkpoint_that_could_not_be_read_is_not_found():
    known = facts(gpus=0, checkpoints=[{"path": "/m"}], unknown={"checkpoints./m": "cannot be looked at: no such file"})
    (problem,) = said("facts.checkpoint_not_found", service({"model-path": "/m/"}, known=known))
    assert "no such file" in problem.message


def test_a_reading_goes_before_the_name_of_a_folder():
    environments = [{"python": "/opt/sglang-0.5.8/bin/python3", "release": "0.5.9"}]
    view = service(python="/opt/sglang-0.5.8/bin/python3", known=facts(gpus=0, environments=environments))
    assert said("facts.installed_release", view) == []
    assert said("service.interpreter_of_another_release", view) == []


def test_facts_that_cannot_be_used_are_not_called_missing():
    view = host({})._replace(has_facts_file=True)
    assert messages("facts.host_without_facts", view) == [
        "hosts/example-01/facts.yaml cannot be used: the GPUs and the memory of example-01 are not checked"
    ]


@pytest.mark.parametrize(
    ("link", "lanes"),
    [({"width": 16, "current-width": 8}, "50%"), ({"width": 16, "current-width": 16}, None), ({"width": 16}, None),
     ({"current-width": 4}, None), ({"width": 8, "current-width": 16}, None), ({"width": 0, "current-width": 0}, None)],
)  # fmt: skip
def test_lanes(link, lanes):
    found = said("facts.narrow_pcie_link", host({}, facts(gpus=[{"index": 0, "name": "X", "pcie": link}])))
    assert [lanes in problem.arithmetic[0] for problem in found] == ([True] if lanes else [])


def test_who_is_given_a_gpu_that_cannot_be_used():
    known = facts(gpus=[{"index": 0, "name": "X"}, {"index": 1, "name": "X", "problem": "gone"}])
    services = {"a": service(gpus=[0], known=known), "b": service(known=known), "c": service(gpus=[1], known=known)}
    (message,) = messages("facts.unusable_gpu", host(services, known))
    assert message.endswith("it is given to b, c")


@pytest.mark.parametrize(
    ("flags", "gpus", "way"),
    [
        ({}, "all", "; or write `gpus: [0]` for b"),
        ({"tp-size": 2}, [0, 1], "; or write `gpus: [0, 2]` for b"),
        ({"base-gpu-id": 1}, "all", "; or write `gpus: [0]` and remove base-gpu-id for b"),
        ({"tp-size": 3}, "all", "; or take it out of `gpus:` and lower the sizes"),
    ],
)
def test_other_gpus_than_a_broken_one_are_named(flags, gpus, way):
    known = facts(gpus=[{"index": 0, "name": "X"}, {"index": 1, "name": "X", "problem": "gone"},
                        {"index": 2, "name": "X"}])  # fmt: skip
    (problem,) = said("facts.unusable_gpu", host({"b": service(flags, name="b", gpus=gpus, known=known)}, known))
    assert problem.help == f"repair it, run `sgfleet facts` on the host and commit what it writes{way}"


def test_what_could_not_be_read_is_counted_beyond_some():
    (problem,) = said("facts.unread_facts", host({}, facts(unknown={f"a{n}": "why" for n in range(20)})))
    assert problem.arithmetic[-1] == "and 12 more"
    assert problem.message.startswith("a0 and 19 more facts")


@pytest.mark.parametrize(
    ("gpu", "words"),
    [
        ({"name": "NVIDIA L40S", "memory-mib": 48}, "such a card has 46,068 MiB"),
        ({"name": "NVIDIA L40S", "memory-mib": 500}, "such a card has 46,068 MiB"),
        ({"name": "NVIDIA L40S", "memory-mib": 46068 * 1024}, "such a card has 46,068 MiB"),
        ({"name": "a card of tomorrow", "memory-mib": 288}, "less than any GPU has"),
        ({"name": "a card of tomorrow", "memory-mib": 300000}, None),
        ({"name": "NVIDIA L40S", "memory-mib": 46068}, None),
        ({"name": "NVIDIA H100 NVL", "memory-mib": 95830}, None),
        ({"name": "NVIDIA GeForce RTX 3060 Laptop GPU", "memory-mib": 6144}, None),
        ({"name": "NVIDIA L40S-8Q", "memory-mib": 8192}, None),
        ({"name": "NVIDIA H100 80GB HBM3", "memory-mib": 9856, "mig": True}, None),
        ({"name": "NVIDIA H100 80GB HBM3", "memory-mib": 81559, "mig": True,
          "mig-instances": [{"profile": "1g.10gb", "memory-mib": 9856}]}, None),
        ({"name": "NVIDIA L40S"}, None),
    ],
)  # fmt: skip
def test_memory_that_a_gpu_cannot_have(gpu, words):
    found = said("facts.implausible_gpu_memory", host({}, facts(gpus=[{"index": 0, **gpu}])))
    assert [problem.message.split("MiB, ", 1)[1].removeprefix("and ") for problem in found] == (
        [words] if words else []
    )
    assert all("write " in problem.help and problem.route[-1] == "memory-mib" for problem in found)


PASSES = "waive FCT009 under `waive:` of host.yaml itself, beside `services:`"


@pytest.mark.parametrize(
    ("name", "written", "help_"),
    [
        ("NVIDIA L40S", 48, "48 GiB? The unit here is MiB: write memory-mib: 46068, or what nvidia-smi prints as"),
        ("NVIDIA L40S", 46068 * 1024, "47,173,632 KiB? The unit here is MiB: write memory-mib: 46068, or what"),
        ("NVIDIA L40S", 46068 * 1024**2, "48,305,799,168 bytes? The unit here is MiB: write memory-mib: 46068, or"),
        ("NVIDIA L40S", 8 * 46068, "write memory-mib: 46068, or what nvidia-smi prints as memory.total, as `sgfleet"),
        ("a card of tomorrow", 288, "288 GiB? The unit here is MiB: write what nvidia-smi prints as memory.total;"),
    ],
)
def test_the_unit_that_would_fit_is_named(name, written, help_):
    known = facts(gpus=[{"index": 0, "name": name, "memory-mib": written}])
    (problem,) = said("facts.implausible_gpu_memory", host({}, known))
    assert problem.help.startswith(help_)
    assert problem.severity is None
    assert (PASSES in problem.help) == (name == "NVIDIA L40S")


def test_a_card_with_twice_its_memory_may_be_one():
    known = facts(gpus=[{"index": 0, "name": "NVIDIA GeForce RTX 4090", "memory-mib": 49140}])
    (problem,) = said("facts.implausible_gpu_memory", host({}, known))
    assert problem.severity is Severity.WARNING
    assert problem.help.startswith(
        f"a card rebuilt with twice its memory? Then {PASSES}; otherwise write memory-mib: 24564"
    )


def test_a_finding_of_the_host_says_what_accepts_it(tmp_path):
    """A waiver of a service does not; what is said instead works."""
    files = {
        "hosts/h/facts.yaml": "format: 1\nhost: h\ngpus:\n"
        "  - {index: 0, name: NVIDIA GeForce RTX 4090, memory-mib: 49140}\n",
        "hosts/h/host.yaml": 'host: h\nservices:\n  a:\n    release: "0.5.9"\n    python: /opt/python3\n'
        "    flags: {model-path: /m}\n    waive: [{code: FCT009, reason: it was rebuilt}]\n",
    }
    (waiver,) = [each for each in check(tmp_path, files) if each.code == "WVR001"]
    assert waiver.severity is Severity.WARNING
    assert waiver.message == "FCT009 is a finding of the host h and not of this service"
    assert waiver.help == "move the waiver to `waive:` of hosts/h/host.yaml itself, beside `services:`"
    before, key, after = files["hosts/h/host.yaml"].rpartition("    waive")
    files["hosts/h/host.yaml"] = f"{before}{key.strip()}{after}"
    found = check(tmp_path, files)
    assert [each.waived for each in found if each.code == "FCT009"] == ["it was rebuilt"]
    assert {each.code for each in found if each.severity is not Severity.NOTE and each.waived is None} == set()
    files["fleet.yaml"] = "policy: {severity: {FCT009: note}}\n"
    files["hosts/h/host.yaml"] = before
    assert {each.code for each in check(tmp_path, files) if each.severity is not Severity.NOTE} == set()


READ = {"gpus": {"how": "NVML", "when": "2026-04-01T00:00:00Z"}, "memory": {"how": "x", "when": "2026-04-02T00:00:00Z"}}


@pytest.mark.parametrize(
    ("unknown", "known", "words"),
    [
        (["gpus"], {}, "what needs it is not checked"),
        (["gpus"], {"gpus": 2}, "what needs it is checked with figures of an earlier reading"),
        (["gpus"], {"gpus": 2, "read": READ}, "what needs it is checked with the figures of 2026-04-01"),
        (["memory"], {"memory": {"total-bytes": 2**39}, "read": READ},
         "what needs it is checked with the figures of 2026-04-02"),
        (["memory"], {"read": READ}, "what needs it is not checked"),
        (["memory.available-bytes"], {"memory": {"available-bytes": 2**39}, "read": READ},
         "what needs it is checked with figures from before 2026-04-02"),
        (["memory.available-bytes"], {"memory": {"total-bytes": 2**39}, "read": READ}, "what needs it is not checked"),
        (["numa"], {"numa": []}, "what needs it is checked with figures of an earlier reading"),
        (["limits.memlock-bytes"], {"limits": {"memlock-bytes": "infinity"}},
         "what needs it is checked with figures of an earlier reading"),
        (["limits.memlock-bytes", "limits.memory-bytes"], {"limits": {"open-files": 5}},
         "what needs them is not checked"),
        (["gpus", "limits.memory-bytes", "limits.memlock-bytes"], {"gpus": 2, "read": READ},
         ("what needs limits.memory-bytes and 1 more fact is not checked, "
         "and what needs gpus is checked with the figures of 2026-04-01")),
        (["gpus", "memory.available-bytes"], {"gpus": 2, "memory": {"available-bytes": 2**39}, "read": READ},
         "what needs them is checked with what the file has"),
        (["checkpoints./m"], {"checkpoints": [{"path": "/m"}]}, "what needs it is not checked"),
        (["checkpoints./m"], {"checkpoints": [{"path": "/m", "model": "org/name"}]},
         "what needs it is checked with what the file has of it"),
        (["environments./p"], {"environments": [{"python": "/p"}]}, "what needs it is not checked"),
        (["model_copy.x", "memory.__class__"], {}, "what needs them is not checked"),
    ],
)  # fmt: skip
def test_what_is_unknown_and_all_the_same_there_is_used(unknown, known, words):
    (problem,) = said("facts.unread_facts", host({}, facts(unknown=dict.fromkeys(unknown, "why"), **known)))
    assert problem.message.endswith(f" could not be read: {words}")
