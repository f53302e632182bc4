"""What a private systemd can go through: reboots, a full disk, read-only folders, processes killed, users."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from support.private_systemd import PrivateSystemd, SystemdUnavailableError
from support.private_systemd.faults import full_disk, read_only, small_folder
from support.private_systemd.process import Process
from support.systemd_plugin import skip_or_fail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.private_systemd.users import User

UNIT = "[Service]\nExecStart=/bin/sleep 100\nExecStop=/bin/touch /var/stopped\n[Install]\nWantedBy=multi-user.target\n"


@pytest.fixture
def own() -> Iterator[PrivateSystemd]:
    """An instance for one test."""
    try:
        instance = PrivateSystemd.boot(f"own-{os.getpid()}", dies_with_caller=True)
    except SystemdUnavailableError as error:
        skip_or_fail(f"no private systemd: {error}")
    yield instance
    instance.stop()


@pytest.mark.systemd
@pytest.mark.parametrize("power_cut", [False, True])
def test_a_reboot_keeps_files_and_starts_what_is_enabled(own: PrivateSystemd, power_cut: bool) -> None:
    own.install("a.service", UNIT)
    own.run("systemctl", "enable", "--now", "a.service")
    own.run("touch", "/var/kept", "/run/gone")
    before = own.run("cat", "/proc/sys/kernel/random/boot_id").stdout, own.show("a.service", "InvocationID")
    own.reboot(power_cut=power_cut)
    after = own.run("cat", "/proc/sys/kernel/random/boot_id").stdout, own.show("a.service", "InvocationID")
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert own.show("a.service", "ActiveState") == {"ActiveState": "active"}
    assert own.path("/var/kept").exists()
    assert not own.path("/run/gone").exists()
    assert own.path("/var/stopped").exists() is not power_cut


def test_a_full_disk_has_room_again_afterwards(systemd: PrivateSystemd) -> None:
    write = "head -c 100000 /dev/zero > /var/big"
    with full_disk(systemd, free_bytes=8192):
        assert "No space left" in systemd.run("sh", "-c", write, check=False).stderr
        assert systemd.path("/var/big").stat().st_size <= 8192
    systemd.run("sh", "-c", write)
    systemd.run("rm", "/var/big")


def test_read_only_reaches_what_is_mounted_below_and_ends(systemd: PrivateSystemd) -> None:
    files = ("/etc/x", "/etc/systemd/system/x")
    with read_only(systemd, "/etc"):
        for file in files:
            assert "Read-only" in systemd.run("touch", file, check=False).stderr
    systemd.run("touch", *files)
    systemd.run("rm", *files)


def test_a_small_folder_is_empty_and_small(systemd: PrivateSystemd) -> None:
    with small_folder(systemd, "/var/lib/small", 16384):
        done = systemd.run("sh", "-c", "head -c 100000 /dev/zero > /var/lib/small/x", check=False)
        assert "No space left" in done.stderr
    assert systemd.run("ls", "-A", "/var/lib/small").stdout == ""


def test_a_process_is_killed_at_its_moment(systemd: PrivateSystemd) -> None:
    mark = systemd.share / "moment"
    process = Process(systemd, "sh", "-c", f"touch {mark}; sleep 100; touch {mark}-after")
    assert process.kill_when(mark.exists)
    assert not mark.with_name("moment-after").exists()
    assert not Process(systemd, "true").kill_when(lambda: False)


def test_a_user_has_a_manager_without_a_session(systemd: PrivateSystemd, user: User) -> None:
    assert "XDG_RUNTIME_DIR" not in systemd.run(*user.become, "env").stdout
    assert systemd.path(f"/run/user/{user.user_id}/systemd/private").exists()
