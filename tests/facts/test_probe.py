"""RAM, nodes, limits, versions, environments and folders."""

from __future__ import annotations

import json
import struct

import pytest

from facts.recorded import MACHINES, RecordedMachine
from sgfleet.facts import checkpoints, environments, memory
from sgfleet.facts.machine import LiveMachine
from sgfleet.facts.probe import probe
from sgfleet.spec.models.facts import Facts

NAMES = sorted(path.stem for path in MACHINES.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_is_what_the_model_takes(name):
    found = probe(RecordedMachine.of(name), with_ids=True)
    facts = Facts.model_validate({"format": 1, "host": "a", **found.parts, "unknown": found.unknown})
    assert (facts.gpus is None) == ("gpus" in found.unknown)


@pytest.mark.parametrize("name", NAMES)
def test_two_probes_are_the_same(name):
    assert probe(RecordedMachine.of(name)) == probe(RecordedMachine.of(name))


def test_memory():
    parts = probe(RecordedMachine.of("nvlink-8")).parts
    assert parts["memory"] == {
        "total-bytes": 2113416996 * 1024,
        "available-bytes": 2080374784 * 1024,
        "swap-total-bytes": 0,
        "hugepages": 1024,
        "hugepage-bytes": 2 * 2**20,
        "transparent-hugepages": "madvise",
    }
    assert parts["numa"][1] == {"node": 1, "total-bytes": 1056708498 * 1024, "cpus": "56-111,168-223"}
    assert parts["limits"] == {"memlock-bytes": "infinity", "open-files": 1024, "memory-bytes": "infinity"}
    assert parts["software"] == {"driver": "570.133.20", "cuda": "12.8", "kernel": "6.8.0-60-generic", "systemd": 255}


def test_a_bound_of_a_control_group():
    machine = RecordedMachine.of("no-gpu")
    machine.files["/sys/fs/cgroup/memory.max"] = "137438953472\n"
    machine.files["/sys/fs/cgroup/system.slice/memory.high"] = "68719476736\n"
    assert probe(machine).parts["limits"]["memory-bytes"] == 64 * 2**30


def test_an_old_systemd_has_no_unified_groups():
    found = probe(RecordedMachine.of("old-driver"))
    assert "unified" in found.unknown["limits.memory-bytes"]
    assert found.parts["limits"]["memlock-bytes"] == 65536


def test_available_memory_counts_only_without_a_server():
    found = probe(RecordedMachine.of("busy"))
    assert "available-bytes" not in found.parts["memory"]
    assert "3 process(es) of SGLang" in found.unknown["memory.available-bytes"]
    assert "sk-made-up" not in str(found)


@pytest.mark.parametrize(
    ("words", "counts"),
    [
        (["python3", "-m", "sglang.launch_server", "--tp", "8"], True),
        (["sglang::scheduler_TP3"], True),
        (["/opt/e/bin/python3", "/opt/e/bin/sglang", "serve", "--model-path", "x"], True),
        (["python3", "-m", "sglang.bench_serving"], False),
        (["vim", "sglang.launch_server.md"], False),
        (["journalctl", "-u", "sglang"], False),
    ],
)
def test_what_is_a_server(words, counts):
    machine = RecordedMachine("")
    machine.files["/proc/77/cmdline"] = "\0".join([*words, ""])
    assert memory.engine_processes(machine) == counts


def test_nothing_at_all():
    found = probe(RecordedMachine(""))
    assert {"gpus", "memory", "numa", "limits.memlock-bytes", "software.systemd"} <= found.unknown.keys()


def environment(machine, version, *, prefix="/opt/e", lib="lib/python3.11/site-packages", settings="home = /usr/bin\n"):
    machine.files[f"{prefix}/bin/python3"] = ""
    machine.files[f"{prefix}/pyvenv.cfg"] = settings
    machine.files[f"{prefix}/lib/python3.11/site-packages/pip.py"] = ""
    if version:
        machine.files[f"{prefix}/{lib}/sglang-{version}.dist-info/METADATA"] = (
            f"Metadata-Version: 2.1\nName: sglang\nVersion: {version}\n\nVersion: 9.9.9\n"
        )


@pytest.mark.parametrize(
    ("version", "release", "reason"),
    [
        ("0.5.9", "0.5.9", None),
        ("0.5.8.post1", "0.5.8.post1", None),
        ("0.5.10rc0", None, "no final or post release"),
        ("", None, "no SGLang is installed"),
    ],
)
def test_environments(version, release, reason):
    machine = RecordedMachine("")
    environment(machine, version)
    found, why = environments.release_of(machine, "/opt/e/bin/python3")
    assert found == release
    assert (why is None) if reason is None else (reason in why)


def test_an_interpreter_that_is_not_there():
    assert environments.read(RecordedMachine(""), ["/opt/e/bin/python3"]) == (
        [{"python": "/opt/e/bin/python3"}],
        {"environments./opt/e/bin/python3": "there is no /opt/e/bin/python3"},
    )


def test_an_interpreter_that_this_user_may_not_look_at():
    machine = RecordedMachine("")
    machine.shut_at["/root"] = "permission denied"
    assert environments.read(machine, ["/root/e/bin/python3"]) == (
        [{"python": "/root/e/bin/python3"}],
        {"environments./root/e/bin/python3": "cannot be looked at: permission denied"},
    )


def test_two_versions_in_one_environment():
    machine = RecordedMachine("")
    environment(machine, "0.5.9")
    environment(machine, "0.5.8")
    assert "several versions" in environments.release_of(machine, "/opt/e/bin/python3")[1]


def test_packages_of_the_system_count_when_the_environment_sees_them():
    machine = RecordedMachine("")
    environment(machine, "", settings="home = /usr/bin\ninclude-system-site-packages = true\n")
    environment(machine, "0.5.9", prefix="/usr", lib="lib/python3.11/dist-packages", settings="")
    del machine.files["/usr/pyvenv.cfg"]
    assert environments.release_of(machine, "/opt/e/bin/python3") == ("0.5.9", None)


def checkpoint(folder, *, config=True):
    folder.mkdir()
    shape = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 128,
        "max_position_embeddings": 512, "torch_dtype": "bfloat16", "tie_word_embeddings": True,
    }  # fmt: skip
    if config:
        (folder / "config.json").write_text(json.dumps(shape))
    return folder


def test_checkpoints(tmp_path):
    folder = checkpoint(tmp_path / "tiny")
    (found,), unknown = checkpoints.read([str(folder)], None)
    assert found == {"path": str(folder), "architecture": "LlamaForCausalLM", "layers": 2, "exact": False}
    assert unknown == {}


def test_a_checkpoint_without_a_configuration_has_its_bytes_and_a_reason(tmp_path):
    folder = checkpoint(tmp_path / "tiny", config=False)
    header = json.dumps({"a": {"dtype": "BF16", "shape": [4], "data_offsets": [0, 8]}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    (found,), unknown = checkpoints.read([str(folder)], None)
    assert found == {"path": str(folder), "total-bytes": 16 + len(header)}
    assert unknown[f"checkpoints.{folder}"] == "config.json: cannot be read: no such file or directory"


def test_a_folder_that_is_not_there():
    (found,), unknown = checkpoints.read(["/nowhere/model"], None)
    assert found == {"path": "/nowhere/model"}
    assert "no such folder" in unknown["checkpoints./nowhere/model"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "a").write_text("")
    _, unknown = checkpoints.read([str(tmp_path / "a")], None)
    assert "it is a file, and no folder" in unknown[f"checkpoints.{tmp_path / 'a'}"]


def test_the_live_machine(tmp_path):
    machine = LiveMachine(str(tmp_path), timeout_seconds=5)
    (tmp_path / "a").write_text("x" * 200_000)
    (tmp_path / "link").symlink_to("a")
    assert machine.read("/a") == "x" * 200_000
    assert machine.read("/b") is None
    assert machine.read("/") is None
    assert machine.read("/a\0b") is None
    assert machine.names("/") == ("a", "link")
    assert machine.names("/a") is None
    assert machine.target("/link") == "a"
    assert machine.target("/a") is None
    assert machine.run("sh", "-c", "echo out; echo err >&2; exit 3").code == 3
    assert "not installed" in machine.run("no-such-program-here").reason
    assert "did not answer" in LiveMachine(timeout_seconds=0.1).run("sleep", "5").reason


def test_this_machine_gives_facts():
    found = probe(LiveMachine())
    Facts.model_validate({"format": 1, "host": "a", **found.parts, "unknown": found.unknown})
    assert found.parts["memory"]["total-bytes"] > 0
