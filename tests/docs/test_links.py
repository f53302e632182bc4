"""Links in the pages lead to a file that is there, and to a heading that is there; no page is out of reach."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sgfleet.output.manual.markdown import anchor

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)|(?:src|href|srcset)=\"(?P<source>[^\"]+)\"")


def prose(page: Path) -> str:
    """The page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def links(page: Path) -> list[str]:
    found = (match["target"] or match["source"] for match in LINK.finditer(prose(page)))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+?)\s*$", prose(page), flags=re.MULTILINE):
        name = anchor(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        number = 0
        while (own := f"{name}-{number}" if number else name) in found:
            number += 1
        found.add(own)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        name, _, heading = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), f"{target}: no such file"
        assert there.is_relative_to(ROOT)
        if heading:
            assert heading in anchors(there), f"{target}: no such heading"


def test_every_page_can_be_reached() -> None:
    seen: set[Path] = set()
    left = [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        left += [
            (page.parent / target.partition("#")[0]).resolve() for target in links(page) if not target.startswith("#")
        ]
    assert not {str(page.relative_to(ROOT)) for page in PAGES} - {str(page.relative_to(ROOT)) for page in seen}
