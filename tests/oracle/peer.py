"""The other side of the comparison: a release's wheel, unpacked, and the process that runs its real parser."""

from __future__ import annotations

import json
import subprocess
import tempfile
import zipfile
from pathlib import Path
from threading import Thread

WORKER = Path(__file__).with_name("worker.py")


class Peer:
    """A running worker for one wheel; use it in a `with`. `described` says what the release's parser consists of."""

    def __init__(self, python, wheel):
        self._python = python
        self._wheel = wheel
        self._folder = tempfile.TemporaryDirectory(prefix="sgfleet-oracle-")
        self.files = Path(self._folder.name) / "files"
        """Where the worker runs: the files that command lines name are found here."""

    def __enter__(self):
        unpacked = Path(self._folder.name) / "wheel"
        with zipfile.ZipFile(self._wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith("sglang/") and name.endswith(".py")]
            archive.extractall(unpacked, names)
        self.files.mkdir()
        self._errors = (Path(self._folder.name) / "errors").open("w+")
        self._process = subprocess.Popen(
            [self._python, "-I", WORKER, unpacked],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=self.files, text=True,
        )  # fmt: skip
        self.described = json.loads(self._answer())
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._errors.close()
        self._folder.cleanup()

    def ask(self, lines):
        """The answers to some hundred command lines; their files are written first and removed afterwards."""
        for line in lines:
            for name, text in line.files.items():
                (self.files / name).write_text(text)
        # The worker flushes its answers when it meets the marker at the end.
        text = "".join(json.dumps(line.words) + "\n" for line in lines) + "null\n"
        sender = Thread(target=self._send, args=(text,))  # neither side may wait for the other with a full pipe
        sender.start()
        answers = [json.loads(self._answer()) for _ in lines]
        sender.join()
        for line in lines:
            for name in line.files:
                (self.files / name).unlink()
        return answers

    def _send(self, text):
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def _answer(self):
        text = self._process.stdout.readline()
        if not text:
            self._process.wait()
            self._errors.seek(0)
            raise RuntimeError(f"{self._wheel.name}: the worker has ended:\n{self._errors.read()[-3000:]}")
        return text
