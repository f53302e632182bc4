"""The inner side: in fresh namespaces, build the root that systemd shall see, move into it and become systemd.

Around it, in a mount namespace of its own, is the keeper. It holds the layer that everything written inside goes to, as
a disk does, and boots again over the same layer when it is asked to.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import uuid
from pathlib import Path

from support.private_systemd import cgroups
from support.private_systemd.cgroups import hierarchies
from support.private_systemd.machine import CHECKOUT, ENVIRONMENT, SYSTEMD
from support.private_systemd.record import Record

HIDDEN = ("etc/systemd/system", "usr/lib/systemd/system-generators", "var/log/journal", "var/lib/systemd")
"""The machine's units, its generators, its journal, its state."""
MASKED = (
    # What a boot does to hardware, clocks, network and kernel settings has no place here; nor has a console.
    *(
        "systemd-sysctl.service",
        "systemd-modules-load.service",
        "systemd-udevd.service",
        "systemd-udev-trigger.service",
    ),
    *(
        "systemd-timesyncd.service",
        "systemd-random-seed.service",
        "systemd-binfmt.service",
        "systemd-remount-fs.service",
    ),
    *("systemd-update-utmp.service", "systemd-update-utmp-runlevel.service", "systemd-boot-system-token.service"),
    *("systemd-firstboot.service", "systemd-machine-id-commit.service", "systemd-hwdb-update.service"),
    *("systemd-update-done.service", "systemd-tmpfiles-clean.timer", "kmod-static-nodes.service", "ldconfig.service"),
    *("systemd-networkd.service", "systemd-resolved.service", "networking.service", "getty.target"),
    *("console-getty.service", "sys-kernel-config.mount", "sys-kernel-debug.mount", "sys-kernel-tracing.mount"),
    *("sys-fs-fuse-connections.mount", "dev-hugepages.mount", "dev-mqueue.mount", "proc-sys-fs-binfmt_misc.automount"),
)
DROPPED_CAPABILITIES = "-sys_time,-sys_module,-sys_rawio,-mac_admin,-mac_override"


SHUTDOWN = "test-shutdown.target"
"""Stops every service, as a shutdown does, and goes no further: systemd-shutdown would remount the file systems that it
finds, the machine's too. (shutdown.target itself refuses to be started by hand.)"""
AGAIN = "again"
"""A file of this name in the instance's folder: when systemd has ended, boot again."""


def keep(folder: Path, *, limits: bool, folders: list[Path]) -> None:
    """Boot, and boot again as long as that is asked for. The caller is in a mount namespace made for this."""
    record = Record.read(folder.name)
    assert record is not None
    layer = folder / "layer"
    _tmpfs(layer)
    for part in ("upper", "work", "hidden"):
        (layer / part).mkdir(mode=0o755)
    # Joins the new cgroups before it makes a namespace of them: so they are the roots that systemd sees.
    join = 'for c in $0; do echo $$ > "$c/cgroup.procs" || exit 1; done; exec "$@"'
    argv = ["setpriv", "--pdeathsig", "KILL", "sh", "-c", join, " ".join(record.cgroups)]
    argv += ["unshare", "--mount", "--propagation", "private", "--uts", "--ipc", "--net", "--pid", "--cgroup"]
    argv += ["--fork", "--kill-child", sys.executable, "-m", "support.private_systemd", "init", str(folder)]
    argv += [*map(str, folders), *(["--limits"] if limits else [])]
    while True:
        cgroups.make(record.cgroups)
        subprocess.run(argv, check=False)
        if not (folder / AGAIN).exists():
            return
        (folder / AGAIN).unlink()
        cgroups.remove(record.cgroups)


def become_init(folder: Path, *, limits: bool, folders: list[Path]) -> None:
    """Called as PID 1 of new mount, PID, network, UTS, IPC and cgroup namespaces. Does not return."""
    root, layer = folder / "root", folder / "layer"
    _mount("-t", "overlay", "-o", f"lowerdir=/,upperdir={layer}/upper,workdir={layer}/work", "overlay", root)
    _kernel_file_systems(root, limits=limits)
    _devices(root / "dev")
    _tmpfs(root / "run")
    _tmpfs(root / "tmp", "mode=1777,nosuid,nodev")
    _boot_id(root)
    for hidden in HIDDEN:
        if (root / hidden).is_dir():
            kept = layer / "hidden" / hidden.replace("/", "-")
            kept.mkdir(mode=0o755, exist_ok=True)
            _mount("--bind", kept, root / hidden)
    for off in ("etc/tmpfiles.d/tmp.conf", *(f"run/systemd/system/{unit}" for unit in MASKED)):
        (root / off).parent.mkdir(parents=True, exist_ok=True)
        (root / off).unlink(missing_ok=True)
        (root / off).symlink_to("/dev/null")
    (root / "run/systemd/system" / SHUTDOWN).write_text(
        "[Unit]\nDefaultDependencies=no\nRequires=shutdown.target\nAfter=shutdown.target\n"
    )
    (root / "etc/hostname").unlink(missing_ok=True)
    (root / "etc/hostname").write_text(f"{folder.name}\n")
    socket.sethostname(folder.name)
    # The overlay shows the root file system alone: a checkout or a Python on another one is added, read-only.
    for needed in (CHECKOUT, Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve()):
        if needed.stat().st_dev != Path("/").stat().st_dev:
            _bind(needed, root, read_only=True)
    for added in folders:
        _bind(added, root, read_only=True)
    _bind(folder / "share", root, read_only=False)
    os.chdir(root)
    subprocess.run(["pivot_root", ".", "."], check=True)
    subprocess.run(["umount", "-l", "."], check=True)
    os.chdir("/")
    _mount("--make-rshared", "/")  # as systemd expects it: LoadCredential= and PrivateTmp= propagate mounts
    options = ["--system", "--unit=multi-user.target", "--show-status=0", "--log-target=journal", "--log-level=info"]
    argv = ["chroot", ".", "setpriv", f"--bounding-set={DROPPED_CAPABILITIES}", str(SYSTEMD), *options]
    os.execvpe("chroot", argv, ENVIRONMENT | {"container": "sgfleet-test"})


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *map(str, arguments)], check=True)


def _tmpfs(target: Path, options: str = "mode=755,nosuid,nodev") -> None:
    target.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", options, "tmpfs", target)


def _bind(path: Path, root: Path, *, read_only: bool) -> None:
    inside = root / str(path).lstrip("/")
    inside.mkdir(parents=True, exist_ok=True)
    _mount("--bind", path, inside)
    if read_only:
        _mount("-o", "remount,ro,bind", inside)


def _boot_id(root: Path) -> None:
    """A boot has an identity; the kernel, which has not booted, would give the same one again."""
    file = root / "run/boot-id"
    file.write_text(f"{uuid.uuid4()}\n")
    with contextlib.suppress(FileNotFoundError):
        _mount("--bind", file, (root / "proc/sys/kernel/random/boot_id").resolve(strict=True))


def _kernel_file_systems(root: Path, *, limits: bool) -> None:
    _mount("-t", "proc", "-o", "nosuid,nodev,noexec", "proc", root / "proc")
    _mount("-t", "sysfs", "-o", "nosuid,nodev,noexec", "sysfs", root / "sys")
    _cgroups(root / "sys/fs/cgroup", limits=limits)
    _mount("-o", "remount,ro,bind", root / "sys")
    for setting in (root / "proc/sys", root / "proc/sysrq-trigger"):
        if setting.exists():
            _mount("--bind", setting, setting)
            _mount("-o", "remount,ro,bind", setting)


def _cgroups(target: Path, *, limits: bool) -> None:
    v1 = [hierarchy for hierarchy in hierarchies() if hierarchy.controllers] if limits else []
    if not v1:
        _mount("-t", "cgroup2", "-o", "nosuid,nodev,noexec", "cgroup2", target)
        return
    _tmpfs(target)
    (target / "unified").mkdir()
    _mount("-t", "cgroup2", "-o", "nosuid,nodev,noexec", "cgroup2", target / "unified")
    for hierarchy in v1:
        inside = target / hierarchy.mount_point.name
        inside.mkdir()
        options = ",".join(f"none,{c}" if c.startswith("name=") else c for c in hierarchy.controllers)
        _mount("-t", "cgroup", "-o", f"nosuid,nodev,noexec,{options}", "cgroup", inside)
        for alias in set(hierarchy.controllers) - {inside.name, f"name={inside.name}"}:
            (target / alias).symlink_to(inside.name)


def _devices(dev: Path) -> None:
    _tmpfs(dev, "mode=755,nosuid")
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        machine = Path("/dev", name).stat()
        os.mknod(dev / name, machine.st_mode, machine.st_rdev)
        (dev / name).chmod(0o666)
    for name, target in (("ptmx", "pts/ptmx"), ("fd", "/proc/self/fd")):
        (dev / name).symlink_to(target)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (dev / name).symlink_to(f"/proc/self/fd/{number}")
    (dev / "pts").mkdir()
    _mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620,gid=5", "devpts", dev / "pts")
    _tmpfs(dev / "shm", "mode=1777,nosuid,nodev")
