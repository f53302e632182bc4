"""The manual's form: what is a page, and what is told of a docstring that is none."""

from __future__ import annotations

import pytest

from sgfleet.rules.manual import ManualError, page

GOOD = """A summary.

## What it does
Looks.

## Why
Because.

## Bad
Words.
```yaml
## a comment, no heading
flags:
  tp: 8
```
```yaml
# facts.yaml
gpus: []
```

## Good
```yaml
flags: {}
```
"""


def test_page():
    found = page(GOOD)
    assert (found.summary, found.what, found.why, found.see_also) == ("A summary.", "Looks.", "Because.", None)
    assert found.bad[0].files == ("## a comment, no heading\nflags:\n  tp: 8\n", "# facts.yaml\ngpus: []\n")
    assert found.good[0].files == ("flags: {}\n",)


def test_two_examples_and_see_also():
    pair = GOOD[GOOD.index("## Bad") :]
    found = page(GOOD + pair + "## See also\nFLG001")
    assert len(found.bad) == len(found.good) == 2
    assert found.see_also == "FLG001"


@pytest.mark.parametrize(
    ("docstring", "says"),
    [
        (None, "no docstring"),
        ("", "no docstring"),
        ("No stop", "full stop"),
        ("Two\nlines.", "one line"),
        (GOOD.replace("## Why", "## Reason"), "unknown heading 'Reason'"),
        (GOOD.replace("## Why\nBecause.\n", ""), "'Why' is missing"),
        (GOOD.replace("Because.\n", ""), "nothing under 'Why'"),
        (GOOD.replace("gpus: []\n```", "gpus: []"), "not closed"),
        (GOOD + "```yaml\n", "not closed"),
        (GOOD + "## Bad\n```yaml\na: 1\n```\n", "in pairs"),
        (
            GOOD.replace("## What it does", "## W").replace("## Why", "## What it does").replace("## W\n", "## Why\n"),
            "order",
        ),
    ],
)
def test_what_is_amiss(docstring, says):
    with pytest.raises(ManualError, match=says.replace("(", r"\(")):
        page(docstring)
