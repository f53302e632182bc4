"""Who listens on TCP, from /proc: port and address -> inode -> process."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.facts.machine import Machine

_LISTEN: Final = "0A"
_LOCAL, _STATE, _INODE = 1, 3, 9
_SOCKET: Final = re.compile(r"socket:\[(\d+)\]")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Listener(NamedTuple):
    """A socket that listens."""

    address: Address
    port: int
    inode: int


def listeners(machine: Machine) -> list[Listener]:
    """All of them, of both families.

    Raises:
        OSError: the kernel does not tell.
    """
    text = machine.read("/proc/net/tcp")
    if text is None:
        raise OSError("/proc/net/tcp cannot be read")
    return [*_parsed(text), *_parsed(machine.read("/proc/net/tcp6") or "")]


def _parsed(text: str) -> Iterator[Listener]:
    for line in text.splitlines()[1:]:
        fields = line.split()
        if len(fields) > _INODE and fields[_STATE] == _LISTEN:
            address, _, port = fields[_LOCAL].partition(":")
            yield Listener(_address(address), int(port, 16), int(fields[_INODE]))


def _address(digits: str) -> Address:
    """The kernel prints words of 32 bits as numbers of the machine; a GPU host's have their least byte first."""
    packed = bytes.fromhex(digits)
    words = b"".join(packed[at : at + 4][::-1] for at in range(0, len(packed), 4))
    return ipaddress.ip_address(words)


def overlaps(listener: Listener, host: str) -> bool:
    """Whether nobody can bind `host` beside it. A name, whatever it leads to, is taken to overlap."""
    try:
        asked = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return True
    return listener.address.is_unspecified or asked.is_unspecified or _plain(listener.address) == asked


def _plain(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def holders(machine: Machine, inodes: set[int]) -> dict[int, tuple[int, ...]]:
    """Inode -> the processes that have the socket open, as far as this account may see them."""
    found: dict[int, tuple[int, ...]] = {}
    for name in machine.names("/proc") or ():
        if not name.isdecimal():
            continue
        for descriptor in machine.names(f"/proc/{name}/fd") or ():
            match = _SOCKET.fullmatch(machine.target(f"/proc/{name}/fd/{descriptor}") or "")
            if match is not None and (inode := int(match[1])) in inodes:
                found[inode] = (*found.get(inode, ()), int(name))
    return found
