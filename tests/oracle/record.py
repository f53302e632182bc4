"""Records what releases' own parsers answer, for the everyday tests: `make record-oracle`.

    python -m oracle.record

A few dozen random command lines for each release in which something about parsing changed, chosen so that every kind of
answer and every type of flag that the release has is among them. Only verdicts and values are kept, none of SGLang's
texts.
"""

from __future__ import annotations

import json
import re

from oracle.lines import lines
from oracle.peer import Peer
from oracle.wheels import PYTHON, ROOT, wheel

FOLDER = ROOT / "tests" / "engine" / "argv" / "recorded"

RELEASES = [
    "0.4.0", "0.4.1.post6", "0.4.3", "0.4.6.post1", "0.4.8.post1", "0.4.9", "0.4.10.post2", "0.5.1", "0.5.3",
    "0.5.3.post2",
    "0.5.5", "0.5.7", "0.5.8", "0.5.9", "0.5.10", "0.5.12", "0.5.14", "0.5.15", "0.5.17", "0.5.18", "0.5.20", "0.5.21",
    "0.5.22", "0.5.23",
]  # fmt: skip
"""The newest one before and the first one after each change of an action, a type or the configuration reader."""

BY_PYTHON = re.compile(r"-h.|--.*=--$")
"""Words that argparse takes in another way from Python 3.13 on."""

TRIED = 3000
KEPT = 80
LONGEST = 300
"""Characters of a command line with its files; longer ones say nothing more."""


def record(version):
    """Write the file of one release."""
    kept = []
    seen = set()
    with Peer(PYTHON, wheel(version)) as peer:
        actions = peer.described["actions"]
        tried = list(lines(actions, f"recorded/{version}", TRIED))
        for number, (line, answer) in enumerate(zip(tried, peer.ask(tried), strict=True)):
            subject = actions[number % len(actions)]
            signature = (
                answer.get("kind", "ok"),
                subject["type"],
                subject["action"],
                subject["nargs"],
                bool(line.files),
            )
            if any(BY_PYTHON.match(word) for word in line.words):
                continue
            if signature in seen or len(json.dumps([line.words, line.files])) > LONGEST:
                continue
            seen.add(signature)
            kept.append({"argv": line.words, "files": line.files, "answer": answer})
            if len(kept) == KEPT:
                break
    text = "".join(json.dumps(item, separators=(",", ":")) + "\n" for item in kept)
    (FOLDER / f"{version}.jsonl").write_text(text)
    return len(kept)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for version in RELEASES:
        print(f"{version}: {record(version)} command lines")
