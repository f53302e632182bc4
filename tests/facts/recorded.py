"""A machine that is written down in one file: answers of programs, files, links.

`$ PROGRAM WORDS [! CODE]` begins an answer, `= PATH` a file, and `> PATH TARGET` is a symbolic link. A `\\0` in a file
is a NUL. Programs and files that are not in it are not on the machine.
"""

from __future__ import annotations

from pathlib import Path

from sgfleet.facts.machine import Answer

MACHINES = Path(__file__).with_name("machines")


class RecordedMachine:
    def __init__(self, text: str, library=None) -> None:
        self.answers: dict[tuple[str, ...], Answer] = {}
        self.files: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.shut_at: dict[str, str] = {}
        self.asked: list[tuple[str, ...]] = []
        self._library = library or "NVML: NVML Shared Library Not Found"
        head, body = "", []
        for line in [*text.splitlines(), "#"]:
            if line[:2] in ("$ ", "= ", "> ") or line.startswith("#"):
                self._keep(head, "".join(f"{each}\n" for each in body))
                head, body = line, []
            else:
                body.append(line)

    @classmethod
    def of(cls, name: str, library=None) -> RecordedMachine:
        return cls((MACHINES / f"{name}.txt").read_text(), library)

    def _keep(self, head: str, body: str) -> None:
        kind, _, rest = head.partition(" ")
        if kind == "$":
            words, _, code = rest.partition(" ! ")
            self.answers[tuple(words.split())] = Answer(body, "", int(code or 0))
        elif kind == "=":
            self.files[rest] = body.replace("\\0", "\0")
        elif kind == ">":
            path, target = rest.split()
            self.links[path] = target

    def run(self, *words: str) -> Answer:
        self.asked.append(words)
        if words in self.answers:
            return self.answers[words]
        if any(known[0] == words[0] for known in self.answers):
            return Answer("", f"{words[0]}: not recorded", 1)
        return Answer(code=None, reason=f"{words[0]} is not installed")

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def names(self, folder: str) -> tuple[str, ...] | None:
        below = f"{folder.rstrip('/')}/"
        found = {path[len(below) :].split("/")[0] for path in (*self.files, *self.links) if path.startswith(below)}
        return tuple(sorted(found)) or None

    def shut(self, path: str) -> str | None:
        return next((why for folder, why in self.shut_at.items() if path.startswith(f"{folder}/")), None)

    def target(self, path: str) -> str | None:
        return self.links.get(path)

    def nvml(self):
        return self._library
