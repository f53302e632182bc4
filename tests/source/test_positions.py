"""Values and places in YAML of every layout, held against a writer that noted where it put them."""

from __future__ import annotations

from hypothesis import given

from sgfleet.source.read import read_text
from source.layout import Layout, layouts


@given(layouts())
def test_every_layout_is_read_with_its_places(made: Layout) -> None:
    document = read_text(made.text.encode(), "f.yaml")
    assert document.data == made.data
    assert repr(document.data) == repr(made.data)  # 1, 1.0 and true are three
    lines = made.text.replace("\r\n", "\n").split("\n")
    for route, (line, column, _, end) in made.keys.items():
        place = document.place(route, "key")
        assert (place.line, place.column, place.end_line, place.end_column) == (line, column, line, end)
        assert place.text == lines[line - 1]
    for route, (line, column, last, end) in made.values.items():
        place = document.place(route)
        assert (place.line, place.column) == (line, column)
        assert place.text == lines[line - 1]
        extent = document.extent(route)
        assert (extent.end_line, extent.end_column) == (last, end)


@given(layouts())
def test_what_is_quoted_and_what_is_written(made: Layout) -> None:
    document = read_text(made.text, "f.yaml")
    lines = made.text.replace("\r\n", "\n").split("\n")
    for route, (line, column, last, end) in made.values.items():
        node = document.node(route)
        assert node is not None
        if node.written is None:
            assert lines[line - 1][column - 1] == node.style
        elif node.plain:
            assert last == line
            assert document.source_text(route) == lines[line - 1][column - 1 : end - 1]
        else:
            assert document.quoted(route)
            assert lines[line - 1][column - 1] == node.style
