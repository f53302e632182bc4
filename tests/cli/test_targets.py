"""Names and files on a command line, as people and Git hooks write them."""

from __future__ import annotations

import pytest

from sgfleet.cli.common import UsageError
from sgfleet.cli.targets import check_services, select

HOSTS = ("kimi-01", "llama-01", "llama-02")


@pytest.fixture
def root(tmp_path, monkeypatch):
    for path in (
        "hosts/kimi-01/host.yaml",
        "units/llama-01/a.service",
        "schema/host.schema.json",
        "docs/x.md",
        "fleet.yaml",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "hosts/llama-01").mkdir()
    (tmp_path / "hosts/gone").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


@pytest.mark.parametrize(
    ("targets", "wanted"),
    [
        (["kimi-01"], {"kimi-01": None}),
        (["kimi-01/"], {"kimi-01": None}),
        (["kimi-01/chat", "kimi-01/draft"], {"kimi-01": {"chat", "draft"}}),
        (["kimi-01/chat", "kimi-01"], {"kimi-01": None}),
        (["kimi-01", "kimi-01/chat"], {"kimi-01": None}),
        (["hosts/kimi-01/host.yaml", "hosts/kimi-01"], {"kimi-01": None}),
        (["units/llama-01/a.service"], {"llama-01": None}),
        (["docs/x.md"], {}),
    ],
)
def test_some(root, targets, wanted):
    selection = select(targets, HOSTS, root)
    assert selection.hosts == wanted
    assert not selection.everything


@pytest.mark.parametrize(
    "targets", [[], ["fleet.yaml"], ["schema/host.schema.json"], ["."], ["hosts"], ["kimi-01", "fleet.yaml"]]
)
def test_all(root, targets):
    selection = select(targets, HOSTS, root)
    assert selection.hosts == dict.fromkeys(HOSTS)
    assert selection.everything


def test_a_file_of_no_host_is_told(root):
    assert select(["docs/x.md", "kimi-01"], HOSTS, root).ignored == ["docs/x.md"]


def test_from_within_a_folder(root, monkeypatch):
    monkeypatch.chdir(root / "hosts" / "kimi-01")
    assert select(["host.yaml"], HOSTS, root).hosts == {"kimi-01": None}
    assert select([str(root / "hosts/kimi-01/host.yaml")], HOSTS, root).hosts == {"kimi-01": None}


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("kimi-1", "no host 'kimi-1'", "did you mean kimi-01?"),
        ("zzz", "no host 'zzz'", "there are kimi-01, llama-01, llama-02"),
        ("hosts/gone", "no host 'gone'", "there are"),
        ("/etc/passwd", "no host '/etc/passwd'", "there are"),
        ("../outside", "no host '../outside'", "there are"),
    ],
)
def test_no_such_host(root, target, message, hint):
    with pytest.raises(UsageError, match=message) as error:
        select([target], HOSTS, root)
    assert error.value.help is not None
    assert hint in error.value.help


def test_no_such_service(root):
    selection = select(["kimi-01/chta"], HOSTS, root)
    with pytest.raises(UsageError, match="kimi-01 has no service 'chta'") as error:
        check_services(selection, "kimi-01", ["chat", "draft"])
    assert error.value.help == "did you mean chat?"
    check_services(select(["kimi-01/chat"], HOSTS, root), "kimi-01", ["chat"])
