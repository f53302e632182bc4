"""The port, read from /proc."""

from __future__ import annotations

import os
import socket

import pytest

from agent.admission.making import listening
from sgfleet.agent.admission import port
from sgfleet.agent.admission.sockets import holders, listeners
from sgfleet.facts.machine import LiveMachine

IPV6_ANY, IPV6_LOOPBACK = "0" * 32, "0" * 24 + "01000000"


def held(made, pid: int, inode: int, comm: str = "nginx") -> None:
    made.machine.links[f"/proc/{pid}/fd/3"] = f"socket:[{inode}]"
    made.machine.files[f"/proc/{pid}/comm"] = f"{comm}\n"


def test_a_free_port(made):
    made.machine.files["/proc/net/tcp"] = listening(31001, 5)
    assert port.check(made.situation) is None


@pytest.mark.parametrize("has_brief", [True, False])
def test_a_port_that_another_holds(made, has_brief):
    made.brief = has_brief
    made.machine.files["/proc/net/tcp"] = listening(31000, 5)
    held(made, 77, 5)
    reason = port.check(made.situation)
    assert (reason.code, reason.text) == ("port", "port 31000 is taken on 0.0.0.0: process 77 (nginx)")


def test_a_holder_that_cannot_be_seen(made):
    made.machine.files["/proc/net/tcp"] = listening(31000, 5)
    assert "a process that this account cannot see" in port.check(made.situation).text


def test_the_running_instance_holds_it(made):
    made.run()
    made.machine.files["/proc/net/tcp"] = listening(31000, 5)
    held(made, made.processes[0], 5)
    assert port.check(made.situation) is None


def test_another_service_of_ours_holds_it(made):
    made.run("sglang-b.service")
    made.machine.files["/proc/net/tcp"] = listening(31000, 5)
    held(made, made.manager.world.processes_of("sglang-b.service")[0], 5, "python3")
    assert "(python3) of sglang-b.service" in port.check(made.situation).text


def test_a_connection_is_no_listener(made):
    made.machine.files["/proc/net/tcp"] = listening(31000, 5, state="01")
    assert port.check(made.situation) is None


@pytest.mark.parametrize(
    ("host", "address", "taken"),
    [
        ("127.0.0.1", "0100007F", True),
        ("127.0.0.1", "0101A8C0", False),
        ("0.0.0.0", "0101A8C0", True),
        ("192.168.1.1", "0101A8C0", True),
        ("127.0.0.1", "00000000", True),
        ("some-name", "0101A8C0", True),
        ("127.0.0.1", IPV6_ANY, True),
        ("127.0.0.1", IPV6_LOOPBACK, False),
        ("::1", IPV6_LOOPBACK, True),
        ("127.0.0.1", "0000000000000000FFFF00000100007F", True),
    ],
)
def test_addresses(made, host, address, taken):
    made.flags["host"] = host
    name = "/proc/net/tcp6" if len(address) == 32 else "/proc/net/tcp"
    made.machine.files[name] = listening(31000, 5, address)
    assert (port.check(made.situation) is not None) == taken


def test_a_process_that_binds_no_port(made):
    made.with_gpus()
    made.flags |= {"nnodes": 2, "node-rank": 1, "dist-init-addr": "10.0.0.1:5000"}
    made.machine.files["/proc/net/tcp"] = listening(31000, 5)
    assert port.check(made.situation) is None


def test_a_kernel_that_does_not_tell(made):
    del made.machine.files["/proc/net/tcp"]
    with pytest.raises(OSError, match="/proc/net/tcp cannot be read"):
        port.check(made.situation)


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_this_very_machine(family, address):
    machine = LiveMachine()
    try:
        listener = socket.create_server((address, 0), family=family)
    except OSError:
        pytest.skip("this machine has no such address")
    with listener:
        number = listener.getsockname()[1]
        (found,) = [each for each in listeners(machine) if each.port == number and str(each.address) == address]
        assert os.getpid() in holders(machine, {found.inode})[found.inode]
