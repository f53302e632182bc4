"""What `host` can be, and that what a help names can be bound."""

from __future__ import annotations

import re

import pytest

from rules.said import said
from rules.views import service
from sgfleet.rules.flags.unbindable_host import unbindable


def _said(host, release="0.5.9"):
    return said("flags.unbindable_host", service({"host": host}, release=release))


@pytest.mark.parametrize(
    "host",
    [
        *("0.0.0.0", "127.0.0.1", "255.255.255.255", "127.1", "0", "::", "::1", "fe80::1", "::ffff:127.0.0.1", "*", ""),
        *("localhost", "gpu-01", "gpu-01.example.org", "gpu_01", "fe80::1%eth0", "1a.example.org", "gpu."),
    ],
)
def test_what_can_be_bound_or_only_the_machine_knows(host):
    assert _said(host) == []


@pytest.mark.parametrize(
    ("host", "why", "named"),
    [
        ("999.1.1.1", "no IPv4 address", None),
        ("127.0.0.1.1", "no IPv4 address", None),
        ("256.1", "no IPv4 address", None),
        ("127..1", "no IPv4 address", None),
        ("localhost:30000", "a port is no part of an address", ("localhost", "30000")),
        ("0.0.0.0:30000", "a port is no part of an address", ("0.0.0.0", "30000")),
        ("[::1]:30000", "brackets are for URLs", ("::1", "30000")),
        ("[::]", "brackets are for URLs", ("::", None)),
        ("http://0.0.0.0", "a scheme is no part of an address", ("0.0.0.0", None)),
        ("http://localhost:30000/v1", "a scheme is no part of an address", ("localhost", "30000")),
        ("http://999.1.1.1", "a scheme is no part of an address", None),
        ("10.0.0.0/8", "a path or a prefix length is no part of an address", ("10.0.0.0", None)),
        (" 0.0.0.0", "the blank counts", ("0.0.0.0", None)),
        (":::1", "no IPv6 address", None),
        ("fe80::12345", "no IPv6 address", None),
        ("my host", "neither an address nor a name", None),
        ("höst", "neither an address nor a name", None),
        ("-x", "neither an address nor a name", None),
        ("a..b", "neither an address nor a name", None),
        ("x" * 300, "neither an address nor a name", None),
    ],
)
@pytest.mark.parametrize("release", ["0.4.0", "0.5.23"])
def test_what_cannot(host, why, named, release):
    (problem,) = _said(host, release)
    assert problem.message == f"host {host!a} cannot be bound: {why}"
    if named is not None:
        address, port = named
        assert re.search(r'`host: "?([^`"]+)"?`', problem.help).group(1) == address
        assert port is None or f"`port: {port}`" in problem.help
    written = re.search(r'`host: "?([^`"]+)"?`', problem.help).group(1)
    assert unbindable(written) is None
    assert said("combinations.open_bind", service({"host": host}, release=release)) == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "*", "0"])
def test_every_network(host):
    (problem,) = said("combinations.open_bind", service({"host": host}))
    assert "every network" in problem.message
