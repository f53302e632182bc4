"""The helper that asks systemd itself finds what it is there to find."""

from __future__ import annotations

import pytest

from support.verify_unit import verify_unit

CLEAN = """\
# a comment
[Unit]
Description=100%% of it
After=network.target not-there.service
X-Sgfleet-Host=kimi-01

[Service]
User=nobody-like-that
EnvironmentFile=/not/there.env
ExecStart=/not/there/bin/python3 -m sglang.launch_server \\
    --model-path /models/x
LimitMEMLOCK=infinity

[Install]
WantedBy=multi-user.target
"""


def test_what_the_host_lacks_is_no_complaint() -> None:
    assert verify_unit(CLEAN, "a.service") == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("LimitMEMLOCK=infinity", "LimitMEMLOCK=lots", "Failed to parse resource value"),
        ("LimitMEMLOCK=", "LimitMEMLOCKS=", "Unknown key 'LimitMEMLOCKS'"),
        ("[Install]", "[Instal]", "Unknown section 'Instal'"),
        ("100%% of it", "100%Z", "Failed to resolve unit specifiers"),
        ("--model-path", "'--model-path", "Unbalanced quoting"),
        ("User=nobody-like-that", "User=no:such", "Invalid user/group name"),
        ("/not/there/bin/python3 ", "/not/there/bin/ ", "specifies a directory"),
        ("X-Sgfleet-Host", "Sgfleet-Host", "Unknown key 'Sgfleet-Host'"),
    ],
)
def test_what_systemd_complains_of(old: str, new: str, complaint: str) -> None:
    assert CLEAN.count(old) == 1
    [first, *_] = verify_unit(CLEAN.replace(old, new), "a.service")
    assert complaint in first
    assert first.startswith("/etc/systemd/system/a.service:")
