"""The index of options by release is what the committed schemas say."""

from __future__ import annotations

from pathlib import Path

from sgfleet.engine import store
from sgfleet.engine.argv.history import FILE, Past, Span, history, index_of, write
from sgfleet.engine.flag import Deprecation, Flag
from sgfleet.engine.release import Release

FOLDER = Path(__file__).parents[3] / store.FOLDER


def test_the_committed_index_is_fresh():
    releases = [store.load(version) for version in store.available()]
    assert (FOLDER / FILE).read_text(encoding="utf-8") == index_of(releases), "run sgfleet schema add, which writes it"


def test_an_option_can_come_back():
    def release(version, *options):
        return Release(
            version, tuple(Flag((option,), "x", deprecation=Deprecation("warns", "--b")) for option in options)
        )

    text = index_of([release("1.0.0", "--a"), release("1.0.1"), release("1.0.2", "--a"), release("1.0.3", "--a")])
    assert text == (
        '{\n"releases": ["1.0.0", "1.0.1", "1.0.2", "1.0.3"],\n"options": {\n'
        '"--a": {"in": [["1.0.0", "1.0.0"], ["1.0.2", "1.0.3"]], "instead": "--b"}\n}\n}\n'
    )


def test_what_is_written_is_read(tmp_path):
    folder = tmp_path / store.FOLDER
    folder.mkdir(parents=True)
    for version in ("0.5.9", "0.5.10"):
        (folder / f"{version}.json").write_bytes((FOLDER / f"{version}.json").read_bytes())
    write(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["0.5.10.json", "0.5.9.json", FILE]
    # The releases that sgfleet was installed with are available everywhere, so the index spans them too.
    assert history(tmp_path)["--hicache-ratio"] == Past((Span("0.4.4.post2", store.available()[-1]),))


def test_a_damaged_index_only_costs_advice(tmp_path):
    folder = tmp_path / store.FOLDER
    folder.mkdir(parents=True)
    (folder / FILE).write_text("{", encoding="utf-8")
    assert "--hicache-ratio" in history(tmp_path)  # the installed one
