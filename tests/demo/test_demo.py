"""The demo runs, and ends as it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.story import Story

if TYPE_CHECKING:
    from pathlib import Path

    from support.private_systemd import PrivateSystemd


def test_the_whole_story(systemd: PrivateSystemd, tmp_path: Path) -> None:
    told: list[str] = []
    story = Story(systemd, tmp_path, told.append)
    try:
        story.play()
        begun, changed, bad, again, reverted, around, right, refused, comment = story.scenes
        assert [scene.code for scene in story.scenes] == [0, 0, 30, 30, 0, 20, 0, 20, 0]
        assert [scene.ratio for scene in story.scenes] == ["2.0", *["3.0"] * 5, *["4.0"] * 3]
        # What stands still: a commit that asks for what failed, for what runs, for what cannot be, or for other words.
        assert bad.instance == again.instance == reverted.instance == around.instance
        assert right.instance == refused.instance == comment.instance
        assert len({begun.instance, changed.instance, bad.instance, right.instance}) == 4
        assert story.host.runs()["ActiveState"] == "active"
        (quarantined,) = story.host.record()["quarantine"]
        assert "0.5.8" in quarantined[1]["text"]
        text = "\n".join(told)
        for words in (
            "rolled-back",
            "is refused",
            "no flag hicache-ration",
            "is active (running)",
            "X-Sgfleet-Commit",
        ):
            assert words in text, words
    finally:
        story.host.clean()
