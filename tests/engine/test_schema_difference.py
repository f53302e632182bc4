"""What changes from one release to another."""

from __future__ import annotations

from pathlib import Path

from sgfleet.engine import store
from sgfleet.engine.difference import Changed, Narrowed, Removed, difference
from sgfleet.engine.flag import SUPPRESSED, Deprecation, Flag
from sgfleet.engine.release import Release


def flag(name: str, *aliases: str, **fields: object) -> Flag:
    return Flag((f"--{name}", *(f"--{alias}" for alias in aliases)), name.replace("-", "_"), **fields)  # type: ignore[arg-type]


def test_every_kind_of_change() -> None:
    old = Release(
        "1.0.0",
        (
            flag("gone", type="int"),
            flag("same", type="int", default=1),
            flag("renamed", "alias", type="int"),
            flag("fewer", choices=("a", "b", "c")),
            flag("free", type="str"),
            flag("more", choices=("a",)),
            flag("default", default=2.0),
            flag("zero", default=0),
            flag("kind", type="int"),
            flag("old", action="store_true", nargs=0, const=True, default=False),
        ),
    )
    new = Release(
        "1.1.0",
        (
            flag("same", type="int", default=1),
            flag("other", "alias", type="int"),
            flag("fewer", choices=("a", "d")),
            flag("free", type="str", choices=("x",)),
            flag("more", choices=("a", "b")),
            flag("default", default=None),
            flag("zero", default=False),
            flag("kind", type="human_readable_int"),
            flag(
                "old", action="store_true", nargs=0, const=True, default=False, deprecation=Deprecation("help", "--new")
            ),
            flag("new"),
        ),
    )
    found = difference(old, new)
    assert found.removed == (Removed("--gone", None), Removed("--renamed", "--other"))
    assert found.added == ("--other", "--new")
    assert found.narrowed == (Narrowed("--fewer", ("b", "c"), ("a", "d")), Narrowed("--free", None, ("x",)))
    assert found.defaults == (Changed("--default", "default", 2.0, None), Changed("--zero", "default", 0, False))
    assert found.meaning == (
        Changed("--alias", "dest", "renamed", "other"),
        Changed("--kind", "type", "int", "human_readable_int"),
        Changed("--old", "deprecated", None, "help, use --new"),
    )
    assert not found.is_empty
    assert difference(old, old).is_empty


def between(old: str, new: str) -> tuple[set[str], dict[str, tuple[object, ...]], dict[str, tuple[object, object]]]:
    root = Path(__file__).resolve().parents[2]
    found = difference(store.load(old, root), store.load(new, root))
    return (
        {gone.option for gone in found.removed},
        {flag.option: flag.lost or () for flag in found.narrowed},
        {change.option: (change.before, change.after) for change in found.defaults},
    )


def test_moves_of_real_releases() -> None:
    removed, narrowed, _ = between("0.5.9", "0.5.10")
    assert len(removed) == 10
    assert "--disable-hicache-numa-detect" in removed
    assert narrowed == {"--reasoning-parser": ("nano_v3",)}
    removed, narrowed, defaults = between("0.5.12", "0.5.15")
    assert len(removed) == 7
    assert defaults["--hicache-mem-layout"] == ("layer_first", "page_first")
    removed, narrowed, defaults = between("0.5.15", "0.5.18")
    assert defaults["--hicache-ratio"] == (2.0, None)
    assert narrowed["--quantization"] == ("qoq",)
    removed, narrowed, _ = between("0.5.20", "0.5.23")
    assert len(removed) == 4
    assert "fp4_e2m1" in narrowed["--kv-cache-dtype"]


def alias(name: str, dest: str) -> Flag:
    return Flag((f"--{name}",), dest, "DeprecatedAliasStoreAction", default=SUPPRESSED, type="str")


def test_a_default_is_what_the_server_holds_and_not_the_aliass_own() -> None:
    old = Release("1.0.0", (flag("before", default="a"), flag("other", default="x"), alias("ether", "other")))
    same = Release("1.1.0", (alias("before", "now"), flag("now", default="a"), *old.flags[1:]))
    assert difference(old, same).defaults == ()
    assert difference(same, old).defaults == ()
    changed = Release(
        "1.2.0", (alias("before", "now"), flag("now", default="b"), alias("ether", "other"), flag("other"))
    )
    assert difference(old, changed).defaults == (
        Changed("--before", "default", "a", "b"),
        Changed("--other", "default", "x", None),  # once, and not of --ether too
    )
    assert old.defaults == {"before": "a", "other": "x"}


def test_no_real_move_lists_a_suppressed_default_or_one_that_stays() -> None:
    releases = [store.load(version) for version in ("0.5.9", "0.5.12", "0.5.13", "0.5.15", "0.5.18", "0.5.23")]
    for old in releases:
        for new in releases:
            for change in difference(old, new).defaults:
                assert SUPPRESSED not in (change.before, change.after)
                assert (type(change.before), change.before) != (type(change.after), change.after)
    assert not any("nsa-" in change.option for change in difference(releases[1], releases[2]).defaults)
