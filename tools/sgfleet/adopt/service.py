"""Any source -> one service of a host's YAML, with everything that a person has to know about the difference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.adopt.flags import carry
from sgfleet.adopt.launch import read_script, unwrap
from sgfleet.adopt.start import Refused, Start, Told
from sgfleet.adopt.unit_file import read_unit
from sgfleet.source.emit import block
from sgfleet.spec.option_values import fits
from sgfleet.spec.schema_line import schema_line
from sgfleet.spec.secret_names import holds_secret, names_secret
from sgfleet.spec.secret_shapes import kind_of_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sgfleet.engine.release import Release

_SECTION: Final = re.compile(r"^[ \t]*\[(?:Unit|Service|Install)\][ \t\r]*$", re.MULTILINE)
_ORDER: Final = ("why", "release", "python", "gpus", "user", "group", "working-directory", "flags", "environment",
                 "environment-files", "secrets", "unit", "start")  # fmt: skip
_GPUS: Final = re.compile(r"(?:0|[1-9][0-9]{0,3})(?:,(?:0|[1-9][0-9]{0,3}))*")
_RIGHTS: Final = "owner root, mode 0600"
"""systemd reads the file before it changes to the service's account: nobody else needs to."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Imported:
    """A service as YAML holds it (keys of a host's `services:`), and what was not carried over as it stood."""

    name: str
    spec: dict[str, Any]
    told: Told

    def yaml(self, host: str, source: str, root: Path | None = None) -> str:
        """A whole host.yaml with this one service, for a repository, if there is one."""
        head = schema_line(f"hosts/{host}/host.yaml", root)
        head += f"# From {source}, by sgfleet import: check it, and say in `why` what it is for."
        return "\n".join([head, *block({"host": host, "services": {self.name: self.spec}}, 0)]) + "\n"


def import_text(
    text: str,
    unit_name: str | None,
    release_of: Callable[[str], Release],
    *,
    name: str | None = None,
    release: str | None = None,
    python: str | None = None,
) -> Imported:
    """Import a unit file, a script or a command line. `release_of` gives a release's flags.

    Raises:
        Refused: there is no start of SGLang in it, or one that cannot be carried over.
    """
    if "\0" in text:
        raise Refused("it holds zero bytes: no text", "give a unit file, a start script, or the words behind --")
    if _SECTION.search(text):
        start = read_unit(text, unit_name)
    else:
        start = Start([])
        read_script(text, start)
    return _imported(start, release_of, name, release, python)


def import_words(
    words: Sequence[str],
    release_of: Callable[[str], Release],
    *,
    name: str | None = None,
    release: str | None = None,
    python: str | None = None,
) -> Imported:
    """Import a command line whose words are known: no shell looks at them any more.

    Raises:
        Refused: as for `import_text`.
    """
    return _imported(Start(list(words)), release_of, name, release, python)


def _imported(
    start: Start, release_of: Callable[[str], Release], name: str | None, release: str | None, python: str | None
) -> Imported:
    words = unwrap(start)
    version = release or start.release
    if version is None:
        raise Refused(
            "which release of SGLang it is, the source does not say",
            f"give --release; `{python or start.spec.get('python') or 'python'} -m pip show sglang` on the host tells",
        )
    told, spec = start.told, start.spec
    service = _service_name(name or start.name, words)
    carried = carry(start, words, release_of(version), service)
    spec |= {"release": version, "flags": carried.flags}
    if python is not None:
        spec["python"] = python
    _sift(start)
    if "python" not in spec:
        told.todo.append("python: the interpreter of the environment on the host, as an absolute path (--python PATH)")
    moved = {**carried.moved, **_environment(start)}
    if carried.secrets:
        spec["secrets"] = carried.secrets
    if (moved or carried.secrets) and "environment-files" not in spec:
        spec["environment-files"] = [f"/etc/sglang/{service}.env"]
        if not moved:
            told.todo.append(
                f"/etc/sglang/{service}.env: the file that sets {', '.join(carried.secrets.values())} ({_RIGHTS})"
            )
    for what, variable in moved.items():
        file = spec["environment-files"][0]
        told.todo.append(
            f"{what}: a secret, not carried over; write {variable}=<its value> into {file} on the host ({_RIGHTS})"
        )
    if not spec.get("unit"):
        spec.pop("unit", None)
    return Imported(service, {key: spec[key] for key in _ORDER if key in spec}, told)


def _sift(start: Start) -> None:
    """Take out what no service may have, and say which account it is that runs."""
    spec, told = start.spec, start.told
    for key in ("python", "user", "group", "working-directory", "environment-files", "why"):
        if key in spec and not fits(key, spec[key]):
            told.lost.append(f"{key}: the source's own is none that a service may have")
            del spec[key]
    if "user" not in spec and not any(line.startswith("user:") for line in told.todo):
        told.notes.append(
            "no User= is carried over: it runs as root, which many hosts' agents refuse; write `user:` with an account"
        )


def _environment(start: Start) -> dict[str, str]:
    """Put the variables into the spec; those that hold secrets come back by name."""
    secret: dict[str, str] = {}
    kept: dict[str, str] = {}
    for name, value in start.environment.items():
        if not _VARIABLE.fullmatch(name):
            start.told.lost.append("a variable whose name is none")
        elif (names_secret(name) and holds_secret(value)) or kind_of_secret(value):
            secret[name] = name
        elif name == "CUDA_VISIBLE_DEVICES" and _GPUS.fullmatch(value):
            start.spec["gpus"] = [int(each) for each in value.split(",")]
        else:
            kept[name] = value
    if kept:
        start.spec["environment"] = kept
    return secret


def _service_name(wanted: str | None, words: Sequence[str]) -> str:
    """A name that a service may have: the one that is wanted, or the model's."""
    if wanted is None:
        model = ""
        for option in ("--model", "--model-path", "--served-model-name"):
            for at, word in enumerate(words):
                if word == option and at + 1 < len(words):
                    model = words[at + 1]
                elif word.startswith(f"{option}="):
                    model = word.partition("=")[2]
        wanted = f"sglang-{model.rstrip('/').rpartition('/')[2]}"
    plain = re.sub(r"[^a-z0-9_.-]+", "-", wanted.lower()).strip("-_.")[:63]
    return plain or "sglang"
