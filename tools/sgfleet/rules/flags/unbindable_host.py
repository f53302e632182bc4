"""A `host` that no server can bind.

## What it does

Looks whether `host` can be an address or a name at all: an IPv4 address with parts up to 255, an IPv6 address without
brackets, or a name of letters, digits, dashes, dots and underscores. A scheme, a path, a port or a blank makes it none.
Whether a name leads to an address of the machine is known there alone, and nothing is said of it.

## Why

The server gives the text as it is to the resolver of the system, after the model is loaded (`host` goes to uvicorn in
srt/entrypoints/http_server.py, earlier srt/server.py, 0.4.0 to 0.5.23), and ends with "Name or service not known". The
port has a flag of its own.

## Bad

```yaml
flags:
  host: localhost:30000
```

## Good

```yaml
flags:
  host: localhost
  port: 30000
```
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.findings import Severity
from sgfleet.rules.arguments import arguments
from sgfleet.rules.rule import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgfleet.rules.rule import ServiceView

RULE = Rule("FLG020", "unbindable-host", Severity.ERROR, "service")

_NAME: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*\.?")
_LONGEST: Final = 253
_PARTS: Final = re.compile(r"[0-9.]+")
_OCTETS: Final = 4


class Unbindable(NamedTuple):
    """Why a text is no address to listen on. `meant` is the address in it, `port` the port, where there are any."""

    why: str
    meant: str | None = None
    port: int | None = None


def check(view: ServiceView) -> Iterator[Problem]:
    """What is neither an address nor a name."""
    args = arguments(view)
    host = args.text("host") if args is not None else None
    found = unbindable(host) if host is not None else None
    if args is None or found is None:
        return
    name = args.route("host")[-1]
    if found.meant is None:
        help_ = f"write `{name}: 127.0.0.1` to be reached from this machine alone, or an address that it has"
    else:
        help_ = f"write `{name}: {_quoted(found.meant)}`"
        if found.port is not None:
            help_ += f" and `port: {found.port}`"
    yield Problem(
        args.route("host"),
        f"{name} {host!a} cannot be bound: {found.why}",
        help=help_,
        based_on=(f"SGLang {view.service.release}: the text goes to the resolver as it is",),
    )


def unbindable(host: str) -> Unbindable | None:
    """Why a server cannot listen on this; None where it can, or where only the machine knows."""
    if not host or host == "*" or _is_ipv6(host):  # nothing and a star are every address
        return None
    stripped = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", host.strip()).partition("/")[0]
    address, port = _split(stripped)
    meant = address if address and address != host and unbindable(address) is None else None
    if "://" in host:
        return Unbindable("a scheme is no part of an address", meant, port)
    if "/" in host:
        return Unbindable("a path or a prefix length is no part of an address", meant, port)
    if host != host.strip():
        return Unbindable("the blank counts", meant, port)
    if host.startswith("["):
        return Unbindable("brackets are for URLs", meant, port)
    if ":" in host:
        return Unbindable("a port is no part of an address", meant, port) if meant else Unbindable("no IPv6 address")
    if _PARTS.fullmatch(host):
        return None if _is_ipv4(host) else Unbindable("no IPv4 address")
    if len(host) > _LONGEST or not _NAME.fullmatch(host):
        return Unbindable("neither an address nor a name")
    return None


def _split(text: str) -> tuple[str, int | None]:
    """`[::1]:30000`, `localhost:30000` -> the address and the port."""
    match = re.fullmatch(r"\[(.*)\](?::([0-9]{1,5}))?|([^:]*):([0-9]{1,5})", text)
    if match is None:
        return text, None
    address, port = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
    return address, int(port) if port else None


def _is_ipv4(text: str) -> bool:
    """One to four numbers, the last of which fills what is left of the 32 bits, as resolvers take them (127.1)."""
    parts = text.split(".")
    if not 1 <= len(parts) <= _OCTETS or not all(part.isdigit() and len(part) <= len(str(2**32)) for part in parts):
        return False
    *octets, last = (int(part) for part in parts)
    return all(octet < 2**8 for octet in octets) and last < 2 ** (8 * (_OCTETS - len(octets)))


def _is_ipv6(text: str) -> bool:
    if ":" not in text:
        return False
    import ipaddress

    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _quoted(address: str) -> str:
    """YAML would take an address with colons at its end for a key."""
    return f'"{address}"' if ":" in address else address
