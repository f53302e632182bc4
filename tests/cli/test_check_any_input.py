"""Whatever stands in a host's files, `check` has findings to tell and never a traceback."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.checking import check
from sgfleet.output.text import render

HOSTS = Path(__file__).parents[1] / "data" / "fleet" / "hosts"
SOURCES = [
    (folder.name, *((folder / file).read_text() for file in ("host.yaml", "facts.yaml")))
    for folder in sorted(HOSTS.iterdir())
    if folder.is_dir()
]

values = st.sampled_from(
    [
        "null",
        "true",
        "-1",
        "[]",
        "{}",
        "[1, null]",
        "{a: {b: [c]}}",
        "1e400",
        '""',
        "'x'",
        "0x1F",
        ".nan",
        "9" * 40,
        "\u202e",
    ]
)
texts = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(":-[]{}#&*!|>'\"%@`\t\x00\x1b ")), max_size=20
)


@st.composite
def broken(draw, text):
    """The text with a few lines changed, cut, doubled or taken out."""
    lines = text.split("\n")
    for _ in range(draw(st.integers(1, 4))):
        index = draw(st.integers(0, len(lines) - 1))
        line = lines[index]
        match draw(st.sampled_from(["value", "remove", "cut", "double", "text"])):
            case "value":
                lines[index] = f"{line.partition(':')[0]}: {draw(values)}"
            case "remove" if len(lines) > 1:
                del lines[index]
            case "cut":
                lines[index] = line[: draw(st.integers(0, len(line)))]
            case "double":
                lines.insert(index, line)
            case _:
                column = draw(st.integers(0, len(line)))
                lines[index] = line[:column] + draw(texts) + line[column:]
    return "\n".join(lines)


@st.composite
def files(draw):
    name, host, facts = draw(st.sampled_from(SOURCES))
    return {
        f"hosts/{name}/host.yaml": draw(st.one_of(broken(host), st.just(host))),
        f"hosts/{name}/facts.yaml": draw(st.one_of(broken(facts), st.just(facts))),
    }


@settings(max_examples=150, deadline=None)
@given(files())
def test_findings_and_no_crash(written):
    with tempfile.TemporaryDirectory() as root:
        for finding in check(Path(root), written):
            assert finding.place.path
            assert all(line.isprintable() for line in render(finding))
