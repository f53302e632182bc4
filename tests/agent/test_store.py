"""The agent's folder where the disk does not do what it should."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

from sgfleet.agent import durable
from sgfleet.agent.state import HostState
from sgfleet.agent.store import Store

if TYPE_CHECKING:
    from pathlib import Path

STATE = HostState(head="a" * 40)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "state")
    made.prepare()
    return made


@pytest.fixture
def _full(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """No space while the reserve is there: it is what fills the disk."""
    write = durable.write

    def full(path: Path, content: bytes, mode: int = durable.PRIVATE) -> None:
        if (store.folder / "reserve").exists():
            raise OSError(errno.ENOSPC, "no space left")
        write(path, content, mode)

    monkeypatch.setattr(durable, "write", full)


@pytest.mark.usefixtures("_full")
def test_on_a_full_disk_the_state_takes_what_is_reserved_for_it(store: Store) -> None:
    store.save(STATE)
    assert store.load() == STATE
    assert not (store.folder / "reserve").exists()


def test_the_reserve_is_made_again(store: Store) -> None:
    (store.folder / "reserve").unlink()
    store.prepare()
    assert (store.folder / "reserve").stat().st_size > 2**17


def test_another_trouble_is_told_and_takes_no_reserve(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: Path, content: bytes, mode: int = durable.PRIVATE) -> None:
        raise OSError(errno.EROFS, "read-only file system")

    monkeypatch.setattr(durable, "write", broken)
    with pytest.raises(OSError, match="read-only"):
        store.save(STATE)
    assert (store.folder / "reserve").exists()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"format":1,"sha256":"0","state":{}}\n', b"\0" * 100, b"[]"])
def test_a_damaged_state_counts_as_none_and_is_put_aside(store: Store, damage: bytes) -> None:
    store.save(STATE)
    (store.folder / "state.json").write_bytes(damage)
    assert store.load() is None
    assert (store.folder / "state.json.damaged").read_bytes() == damage


def test_a_folder_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text("mine")
    theirs = Store(tmp_path)
    with pytest.raises(OSError, match="somebody else"), theirs.lock():
        pass
    with pytest.raises(OSError, match="somebody else"):
        theirs.prepare()
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]
