"""Where model facts are, and those of one model by its name or by the folder that it was read from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sgfleet.model.facts import NAME, read_facts
from sgfleet.model.problem import ModelError

if TYPE_CHECKING:
    from sgfleet.model.facts import Facts

FOLDER: Final = Path("schema", "models")
"""Below a repository's root."""
LARGEST_BYTES: Final = 4 * 2**20
_PACKAGE: Final = Path(__file__).resolve().parents[1]
_ELSEWHERE: Final = (_PACKAGE / "_schema" / "models", _PACKAGE.parents[1] / FOLDER)
"""The copy in an installed wheel, then the checkout that an editable install points to."""


def file_name(name: str) -> str:
    """The name of the file with the facts of a model: `org--name.json`."""
    return f"{name.replace('/', '--')}.json"


def folders(root: Path | None = None) -> list[Path]:
    """The folders that hold facts; the first one wins: the repository's, then what sgfleet was installed with."""
    candidates = [root / FOLDER] if root is not None else []
    return [folder for folder in (*candidates, *_ELSEWHERE) if folder.is_dir()]


def stamps(root: Path | None = None) -> tuple[int, ...]:
    """When files were last added to, replaced in or removed from the folders that hold facts."""
    return tuple(folder.stat().st_mtime_ns for folder in folders(root))


def files(root: Path | None = None) -> dict[str, Path]:
    """Every facts file by its stem (`org--name`), in order."""
    found: dict[str, Path] = {}
    for folder in folders(root):
        for path in folder.glob("*.json"):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def load(name: str, root: Path | None = None) -> Facts | None:
    """The facts of a model by its exact name, None where there are none.

    Raises:
        ModelError: The file is there and cannot be used.
    """
    if not NAME.fullmatch(name):
        return None
    for folder in folders(root):
        path = folder / file_name(name)
        if path.is_file():
            return read(path)
    return None


def read(path: Path) -> Facts:
    """The facts in a file.

    Raises:
        ModelError: The file cannot be used.
    """
    try:
        stamp = path.stat()
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", file=str(path), help="is the file there?") from error
    return _read(path, stamp.st_mtime_ns, stamp.st_size)


def of_path(folder: str, root: Path | None = None) -> Facts | None:
    """The facts that were made from the checkpoint in this very folder, None where there are none."""
    wanted = folder.rstrip("/")
    if not wanted:
        return None
    for path in files(root).values():
        # The search for the text is what keeps a hundred files from being decoded for one question.
        if _mentions(path, wanted) and wanted in (facts := read(path)).paths:
            return facts
    return None


def _mentions(path: Path, text: str) -> bool:
    try:
        stamp = path.stat()
        return text in _text(path, stamp.st_mtime_ns, stamp.st_size)
    except (OSError, UnicodeDecodeError, ModelError):
        return False


@lru_cache(maxsize=256)
def _read(path: Path, changed_ns: int, size_bytes: int) -> Facts:
    """Cached by the file's time and size: facts that are added while sgfleet runs are seen."""
    try:
        text = _text(path, changed_ns, size_bytes)
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot be read: {error}", file=str(path), help="write it anew") from error
    return read_facts(text, str(path))


@lru_cache(maxsize=512)
def _text(path: Path, _changed_ns: int, size_bytes: int) -> str:
    if size_bytes > LARGEST_BYTES:
        raise ModelError(f"has {size_bytes} bytes, too many for facts", file=str(path), help="write it anew")
    return path.read_text(encoding="utf-8")
