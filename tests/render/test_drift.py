"""Drift: what differs is said in terms of settings, and never a variable's value."""

from __future__ import annotations

from pathlib import Path

from sgfleet.render.drift import drift

FLEET = Path(__file__).parents[1] / "data" / "fleet"
UNIT = (FLEET / "units" / "kimi-01" / "sglang-kimi.service").read_text()


def found(rendered: dict[str, str], committed: dict[str, str], known: set[str] | None = None) -> list[tuple[str, ...]]:
    findings = drift("kimi-01", rendered, committed, known if known is not None else set(rendered))
    return [(finding.code, str(finding.place), *finding.arithmetic) for finding in findings]


def rerendered(old: str, new: str) -> str:
    """The unit as it would have been rendered with other words in it: its own hash fits."""
    from sgfleet.render.identity import unit_hash

    text = UNIT.replace(old, new)
    return text.replace(unit_hash(UNIT), unit_hash(text))


def test_no_drift() -> None:
    assert found({"a": UNIT}, {"a": UNIT}) == []


def test_a_missing_unit() -> None:
    assert found({"a": UNIT}, {}) == [("RND001", "units/kimi-01/a.service")]


def test_a_stale_unit_names_the_settings() -> None:
    ((code, place, *changes),) = found({"a": UNIT}, {"a": rerendered("--hicache-ratio 4.0", "--hicache-ratio 2.0")})
    assert code == "RND002"
    assert place.startswith("units/kimi-01/a.service:")
    assert changes == ["- ExecStart=--hicache-ratio 2.0", "+ ExecStart=--hicache-ratio 4.0"]


def test_an_edited_unit() -> None:
    ((code, _, *changes),) = found({"a": UNIT}, {"a": UNIT.replace("RestartSec=30", "RestartSec=1")})
    assert code == "RND003"
    assert changes == ["- RestartSec=1", "+ RestartSec=30"]


def test_an_edit_of_an_identity_is_an_edit() -> None:
    lines = UNIT.splitlines()
    without = "\n".join(line for line in lines if not line.startswith("X-Sgfleet-Unit=")) + "\n"
    assert found({"a": UNIT}, {"a": without})[0][0] == "RND003"


def test_only_a_comment_differs() -> None:
    ((code, _, *changes),) = found({"a": UNIT}, {"a": UNIT.replace("Prefix cache", "Cache")})
    assert code == "RND002"
    assert changes == ["only comments, blank lines or the order differ"]


def test_the_value_of_a_variable_is_never_shown() -> None:
    edited = UNIT.replace("Environment=SGLANG_ENABLE_SPEC_V2=True", "Environment=HF_TOKEN=hf_verysecret")
    (finding,) = drift("kimi-01", {"a": UNIT}, {"a": edited}, {"a"})
    assert "hf_verysecret" not in repr(finding)
    assert any("HF_TOKEN" in line for line in finding.arithmetic)


def test_a_unit_without_a_spec() -> None:
    assert found({}, {"old": UNIT}) == [("RND004", "units/kimi-01/old.service:1:1")]


def test_a_service_that_cannot_be_rendered_is_not_without_a_spec() -> None:
    assert found({}, {"a": UNIT}, {"a"}) == []


def test_what_is_no_unit_at_all() -> None:
    ((code, _, change),) = found({"a": UNIT}, {"a": "[Unit]\nA=\ufffe\n"})
    assert code == "RND003"
    assert "no unit" in change


def test_an_empty_unit_which_systemd_takes_for_masked() -> None:
    assert found({"a": UNIT}, {"a": ""})[0][0] == "RND003"


def test_a_secret_on_the_command_line_is_not_shown() -> None:
    edited = UNIT.replace("--hicache-ratio 4.0", "--hicache-ratio 4.0 --api-key hunter2")
    ((_, _, *changes),) = found({"a": UNIT}, {"a": edited})
    assert any("--api-key" in line for line in changes)
    assert "hunter2" not in str(changes)
