"""GPUs of recorded machines: what is there, what is broken, and what is only unknown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facts.library import Library, gpu
from facts.recorded import MACHINES, RecordedMachine
from sgfleet.facts import gpus, nvml, smi_text
from sgfleet.facts.gpu import as_facts, pci_address
from sgfleet.facts.probe import probe

PRO = "NVIDIA RTX PRO 6000 Blackwell Server Edition"


def of(name, library=None):
    return gpus.read(RecordedMachine.of(name, library))


def test_eight_gpus_on_pcie():
    reading = of("pcie-8")
    assert (reading.driver, reading.cuda, reading.unknown) == ("580.95.05", "13.0", {})
    assert [gpu.index for gpu in reading.gpus] == list(range(8))
    assert as_facts(reading.gpus[5], with_ids=False) == {
        "index": 5,
        "name": PRO,
        "memory-mib": 97887,
        "compute-capability": "12.0",
        "pcie": {"generation": 5, "width": 16, "current-width": 8},
        "nvlinks": 0,
        "numa-node": 1,
        "pci-address": "0000:a1:00.0",
    }
    assert "current-width" not in as_facts(reading.gpus[0], with_ids=False)["pcie"]


def test_ids_only_when_asked_for():
    reading = of("pcie-8")
    assert "00000000-0000" not in str([as_facts(gpu, with_ids=False) for gpu in reading.gpus])
    assert as_facts(reading.gpus[2], with_ids=True)["serial"] == "1790000000002"
    assert as_facts(reading.gpus[2], with_ids=True)["uuid"] == "GPU-00000000-0000-0000-0000-000000000002"


def test_nvlink():
    reading = of("nvlink-8")
    assert [gpu.nvlinks for gpu in reading.gpus] == [18] * 7 + [17]
    assert {gpu.numa_node for gpu in reading.gpus} == {0, 1}


def test_mig():
    first, second = of("mig").gpus
    assert as_facts(first, with_ids=False)["mig-instances"] == [
        {"profile": "3g.20gb", "memory-mib": 19968},
        {"profile": "1g.10gb", "memory-mib": 9856},
    ]
    assert as_facts(first, with_ids=True)["mig-instances"][1]["uuid"].startswith("MIG-")
    assert (first.mig, second.mig) == (True, False)
    assert "mig" not in as_facts(second, with_ids=False)
    assert first.serial is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing-driver", "2 NVIDIA GPU(s), held by no module on the PCI bus"),
        ("version-mismatch", "Driver/library version mismatch"),
        ("amd", "4 AMD GPU(s), held by amdgpu"),
        ("container", "the PCI bus cannot be looked at either"),
    ],
)
def test_unknown_is_no_empty_list(name, said):
    reading = of(name)
    assert reading.gpus is None
    assert said in reading.unknown["gpus"]


def test_none_is_said_where_it_is_certain():
    reading = of("no-gpu")
    assert reading.gpus == ()
    assert "no NVIDIA driver on this machine" in reading.notes[0]


def test_version_of_a_driver_that_does_not_answer():
    found = probe(RecordedMachine.of("version-mismatch"))
    assert found.parts["software"]["driver"] == "570.124.06"


@pytest.mark.parametrize(("name", "index", "count"), [("lost-gpu", 3, 8), ("lost-gpu-in-table", 1, 4)])
def test_a_lost_gpu_stays_a_gpu(name, index, count):
    reading = of(name)
    assert [gpu.index for gpu in reading.gpus] == list(range(count))
    lost = reading.gpus[index]
    assert lost.problem
    assert lost.name == PRO, "its name is in /proc"
    assert lost.memory_mib is None
    assert all(gpu.problem is None and gpu.memory_mib == 97887 for gpu in reading.gpus if gpu is not lost)


def test_a_gpu_that_only_the_bus_has():
    reading = of("unlisted-gpu")
    assert len(reading.gpus) == 8
    assert reading.gpus[-1].pci_address == "0000:41:00.0"
    assert "not nvidia-smi's number" in reading.gpus[-1].problem
    assert any("vfio-pci" in note for note in reading.notes), "what a virtual machine has is not counted"


def test_a_driver_that_lacks_a_field():
    (only,) = of("old-driver").gpus
    assert (only.memory_mib, only.compute_capability, only.mig) == (32510, None, None)


def test_nvml_first():
    machine = RecordedMachine.of("nvlink-8", Library([gpu()]))
    reading = gpus.read(machine)
    assert reading.how == "NVML"
    assert not any(words[0] == "nvidia-smi" for words in machine.asked)
    assert (reading.driver, reading.cuda) == ("570.133.20", "12.8")
    assert as_facts(reading.gpus[0], with_ids=False) == {
        "index": 0,
        "name": "NVIDIA H100 80GB HBM3",
        "memory-mib": 81559,
        "compute-capability": "9.0",
        "pcie": {"generation": 5, "width": 16},
        "nvlinks": 18,
        "numa-node": 0,
        "pci-address": "0000:18:00.0",
    }


def test_nvml_and_nvidia_smi_say_the_same():
    recorded = of("nvlink-8")
    library = Library(
        [gpu(bus=each.pci_address, links=each.nvlinks, uuid=each.uuid, serial=each.serial) for each in recorded.gpus]
    )
    same = of("nvlink-8", library)
    assert [as_facts(each, with_ids=True) for each in same.gpus] == [
        as_facts(each, with_ids=True) for each in recorded.gpus
    ]


def test_every_call_is_one_of_the_library():
    import pynvml

    called = set(re.findall(r"\bnvml\.(nvml\w+|NVML\w+)", Path(nvml.__file__).read_text()))
    assert len(called) > 12
    assert all(hasattr(pynvml, name) for name in called)


def test_nvml_with_mig():
    instance = gpu(name="NVIDIA A100-SXM4-40GB MIG 3g.20gb", total=19968 * 2**20, uuid="MIG-1")
    (only,) = gpus.read(RecordedMachine("", Library([gpu(mig=1, instances=[instance])]))).gpus
    assert [(each.profile, each.memory_mib) for each in only.mig_instances] == [("3g.20gb", 19968)]


@pytest.mark.parametrize("lost", [None, gpu(lost=True)])
def test_nvml_counts_a_gpu_that_it_cannot_reach(lost):
    found = [gpu(bus="00000000:01:00.0"), lost, gpu(bus="00000000:41:00.0")]
    reading = gpus.read(RecordedMachine.of("lost-gpu-in-table", Library(found)))
    assert [each.index for each in reading.gpus] == [0, 1, 2, 3]
    assert reading.gpus[1].problem
    assert reading.gpus[1].pci_address == "0000:21:00.0", "the one that nobody else claims"
    assert reading.gpus[3].problem, "the bus has a fourth"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("00000000:17:00.0", "0000:17:00.0"),
        ("0000:3B:00.0", "0000:3b:00.0"),
        ("3B:00.0", "0000:3b:00.0"),
        ("00010000:01:00.0", "10000:01:00.0"),
        ("", None),
        ("[GPU is lost]", None),
    ],
)
def test_pci_addresses(text, address):
    assert pci_address(text) == address


@given(st.text())
def test_any_text_is_read(text):
    fields = list(smi_text.FIELDS)
    smi_text.table(text, fields)
    smi_text.document(text)
    smi_text.nvlinks(text)
    smi_text.listed(text)
    smi_text.lost_devices(text)
    assert smi_text.without_ids(text).isprintable()


@given(st.sampled_from(sorted(path.stem for path in MACHINES.iterdir())), st.data())
def test_any_damage_is_told(name, data):
    """Answers that are cut, doubled or replaced give GPUs or a reason, never a traceback."""
    machine = RecordedMachine.of(name)
    for words, answer in machine.answers.items():
        change = data.draw(st.sampled_from(["keep", "cut", "empty", "code", "noise"]))
        if change == "cut":
            text = answer.text[: len(answer.text) // 2]
            machine.answers[words] = type(answer)(text, "", answer.code)
        elif change == "empty":
            machine.answers[words] = type(answer)("", "", answer.code)
        elif change == "code":
            machine.answers[words] = type(answer)(answer.text, "", 6)
        elif change == "noise":
            machine.answers[words] = type(answer)(data.draw(st.text(max_size=80)), "", answer.code)
    found = probe(machine)
    assert ("gpus" in found.parts) != ("gpus" in found.unknown)
