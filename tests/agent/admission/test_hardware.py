"""GPUs and the committed facts."""

from __future__ import annotations

import pytest

from agent.admission.making import GIB, L40S_MIB, TWO_GPUS, UNIT, UsedLibrary, l40s
from facts.recorded import RecordedMachine
from sgfleet.agent.admission import facts, gpu
from sgfleet.agent.admission.gpu_processes import GpuProcess, GpuUse, read
from sgfleet.facts.machine import Answer

APPS = "--query-compute-apps=gpu_bus_id,pid,used_gpu_memory,process_name"
USED = "--query-gpu=pci.bus_id,memory.used"
CSV = "--format=csv,noheader,nounits"


def smi(made, apps: str, used: str = "00000000:01:00.0, 500\n00000000:21:00.0, 500\n"):
    """The recorded machine with nvidia-smi and eight GPUs, two of which the service has."""
    made.machine = RecordedMachine.of("pcie-8")
    made.machine.files["/proc/net/tcp"] = ""
    made.machine.answers["nvidia-smi", APPS, CSV] = Answer(apps)
    made.machine.answers["nvidia-smi", USED, CSV] = Answer(used)
    made.service["gpus"] = [0, 1]
    made.flags = {**made.on_gpus, "tp-size": 2}
    made.facts = None
    return made


# What is there.


def test_gpus_as_promised(made):
    situation = made.with_gpus().situation
    assert facts.check(situation) is None
    assert gpu.check(situation) is None


def test_a_gpu_that_is_gone(made):
    reason = facts.check(made.with_gpus(l40s(0)).situation)
    assert reason.code == "facts"
    assert "GPU 1 of 2 wanted" in reason.text


def test_another_card(made):
    reason = facts.check(made.with_gpus(l40s(0), _a100()).situation)
    assert "GPU 1 is not the one of facts.yaml: NVIDIA A100 instead of NVIDIA L40S" in reason.text


def _a100():
    it = l40s(1)
    it.name = "NVIDIA A100"
    return it


@pytest.mark.parametrize(("mib", "passes"), [(L40S_MIB - 100, True), (L40S_MIB - 2000, False), (2 * L40S_MIB, False)])
def test_another_size(made, mib, passes):
    it = l40s(1)
    it.total = mib * 2**20
    reason = facts.check(made.with_gpus(l40s(0), it).situation)
    assert (reason is None) == passes
    assert passes or "44.99 GiB" in reason.text


def test_mig_was_switched_on(made):
    reason = facts.check(made.with_gpus(l40s(0, mig=1), l40s(1)).situation)
    assert "MIG is on" in reason.text


def test_a_memory_module_that_failed(made):
    made.with_ram(24, 20)
    made.facts["memory"] = {"total-bytes": 32 * GIB}
    reason = facts.check(made.situation)
    assert "24.00 GiB of RAM now, and facts.yaml says 32.00 GiB" in reason.text


def test_no_reading_of_gpus_that_facts_promise(made):
    made.machine = RecordedMachine("")
    made.facts = {"gpus": TWO_GPUS}
    assert facts.check(made.situation) is None
    made.flags = made.on_gpus
    reason = facts.check(made.situation)
    assert "GPU 0, 1 are wanted, and no GPU of this host can be read" in reason.text
    assert "nvidia-smi is not installed" in reason.text


def test_no_reading_of_gpus_that_the_service_names(made):
    made.machine = RecordedMachine("")
    made.facts = None
    made.service["gpus"] = [0]
    made.flags = made.on_gpus
    assert facts.check(made.situation).code == "facts"


@pytest.mark.parametrize("committed", [None, {"gpus": []}, {"memory": {}}])
def test_no_reading_and_nothing_promised(made, committed):
    made.machine = RecordedMachine("")
    made.facts = committed
    made.flags = made.on_gpus
    situation = made.situation
    assert situation.gpus is None
    assert facts.check(situation) is None
    assert gpu.check(situation) is None


# What can be used.


def test_a_gpu_that_is_lost(made):
    reason = gpu.check(made.with_gpus(l40s(0), l40s(1, lost=True)).situation)
    assert (reason.code, "GPU 1" in reason.text) == ("gpu-problem", True)


def test_a_lost_gpu_that_the_service_does_not_use(made):
    made.with_gpus(l40s(0), l40s(1, lost=True))
    made.service["gpus"] = [0]
    made.flags["tp-size"] = 1
    situation = made.situation
    assert gpu.check(situation) is None
    assert facts.check(situation) is None


def test_a_driver_that_was_upgraded_under_the_running_one(made):
    made.machine = RecordedMachine.of("version-mismatch")
    made.facts = None
    made.flags = made.on_gpus
    reason = gpu.check(made.situation)
    assert (reason.code, "version mismatch" in reason.text) == ("gpu-driver", True)
    made.facts = {"gpus": []}
    assert gpu.check(made.situation) is None
    made.facts = None
    made.flags["device"] = "cpu"
    assert gpu.check(made.situation) is None


# Who uses them.


def test_a_stranger(made):
    made.with_gpus(l40s(0), l40s(1, ((4711, 12 * GIB), (4712, None))))
    made.machine.files |= {"/proc/4711/comm": "train.py\n", "/proc/4712/comm": "sglang::schedul\n"}
    reason = gpu.check(made.situation)
    assert reason.code == "gpu-foreign"
    assert "GPU 1: process 4711 (train.py), of no service of sgfleet, holds 12.00 GiB" in reason.text
    assert "process 4712 (sglang::schedul), left behind by a service, holds memory of unknown size" in reason.text
    assert reason.help is not None
    assert "4711 4712" in reason.help


def test_many_strangers_are_counted(made):
    reason = gpu.check(made.with_gpus(l40s(0, tuple((pid, GIB) for pid in range(5000, 5007))), l40s(1)).situation)
    assert "and 3 more" in reason.text


def test_a_stranger_on_a_gpu_that_the_service_does_not_use(made):
    made.with_gpus(l40s(0), l40s(1, ((4711, GIB),)))
    made.service["gpus"] = [0]
    made.flags["tp-size"] = 1
    assert gpu.check(made.situation) is None


def test_the_running_instance_and_another_service_of_ours_are_no_strangers(made):
    made.with_gpus()
    made.run()
    made.run("sglang-b.service")
    own, other = made.processes[0], made.manager.world.processes_of("sglang-b.service")[0]
    made.machine._library = UsedLibrary([l40s(0, ((own, 40 * GIB),)), l40s(1, ((other, GIB),))])
    assert gpu.check(made.situation) is None


def test_a_unit_that_is_not_ours_is_a_stranger(made):
    made.with_gpus()
    made.manager.install("other.service", b"[Service]\nExecStart=/bin/true\n")
    made.manager.reload()
    made.manager.start("other.service")
    made.manager.advance(1000)
    (pid,) = made.manager.world.processes_of("other.service")
    made.machine._library = UsedLibrary([l40s(0, ((pid, GIB),)), l40s(1)])
    assert gpu.check(made.situation).code == "gpu-foreign"


def test_memory_that_no_process_has(made):
    reason = gpu.check(made.with_gpus(l40s(0), l40s(1, used=30 * GIB)).situation)
    assert (reason.code, "30.00 GiB are in use" in reason.text) == ("gpu-held", True)


def test_a_driver_that_lists_not_even_what_is_ours(made):
    made.with_gpus(l40s(0), l40s(1, used=30 * GIB))
    made.run()
    assert gpu.check(made.situation) is None


def test_memory_of_the_running_instance_is_listed(made):
    made.with_gpus()
    made.run()
    (pid,) = made.processes
    made.machine._library = UsedLibrary([l40s(0, ((pid, None),), used=40 * GIB), l40s(1)])
    assert gpu.check(made.situation) is None


# Through nvidia-smi.


def test_nvidia_smi_lists_a_stranger(made):
    reason = gpu.check(smi(made, "00000000:21:00.0, 4711, 2048, /usr/bin/python3 --key sk-made-up, x\n").situation)
    assert "GPU 1: process 4711 (python3), of no service of sgfleet, holds 2.00 GiB" in reason.text
    assert "sk-made-up" not in str(reason)


def test_nvidia_smi_lists_nobody(made):
    assert gpu.check(smi(made, "").situation) is None


def test_nvidia_smi_does_not_know_the_size(made):
    machine = smi(made, "00000000:01:00.0, 4711, [N/A], [Not Found]\n").machine
    found = read(machine, made.situation.live.gpus)
    assert found[0] == GpuUse(0, 500 * 2**20, (GpuProcess(4711, None, ""),))


def test_nvidia_smi_does_not_say(made):
    made = smi(made, "")
    del made.machine.answers["nvidia-smi", APPS, CSV]
    with pytest.raises(OSError, match="does not say who uses the GPUs"):
        gpu.check(made.situation)


def test_nvml_does_not_say(made, monkeypatch):
    made.with_gpus()

    def refuses(self, it):
        raise self.NVMLError(3, "Not Supported")

    monkeypatch.setattr(UsedLibrary, "nvmlDeviceGetComputeRunningProcesses", refuses)
    with pytest.raises(OSError, match="NVML does not say who uses GPU 0: Not Supported"):
        gpu.check(made.situation)


def test_nvmls_largest_number_is_no_size(made):
    made.with_gpus(l40s(0, ((4711, 2**64 - 1),)), l40s(1))
    assert made.situation.gpu_use[0].processes == (GpuProcess(4711, None),)


def test_the_unit_is_named(made):
    made.with_gpus()
    made.run()
    assert set(made.situation.owners.values()) == {UNIT}
