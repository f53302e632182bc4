"""Where model facts are, and those of one model by its name or by the folder that it was read from.

A root is a folder of this machine or the tree of a revision; what sgfleet was installed with comes after it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.model.facts import NAME, read_facts
from sgfleet.model.problem import ModelError
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from sgfleet.model.facts import Facts
    from sgfleet.source.tree import KeptTree

FOLDER: Final = Path("schema", "models")
"""Below a repository's root."""
LARGEST_BYTES: Final = 4 * 2**20
_KEPT: Final = 256
_PACKAGE: Final = Path(__file__).resolve().parents[1]
_ELSEWHERE: Final = (_PACKAGE / "_schema" / "models", _PACKAGE.parents[1] / FOLDER)
"""The copy in an installed wheel, then the checkout that an editable install points to."""


_by_content: dict[str, Facts] = {}
"""Facts of revisions. Trees come and go, contents stay."""


def file_name(name: str) -> str:
    """The name of the file with the facts of a model: `org--name.json`."""
    return f"{name.replace('/', '--')}.json"


class KeptFile(NamedTuple):
    """A facts file of a revision; `content` stands for its bytes."""

    tree: KeptTree
    path: str
    content: str

    def __str__(self) -> str:
        """As it is shown."""
        return self.path


def folders(root: Path | None = None) -> list[Path]:
    """The folders that hold facts; the first one wins: the repository's, then what sgfleet was installed with."""
    candidates = [root / FOLDER] if root is not None else []
    return [folder for folder in (*candidates, *_ELSEWHERE) if folder.is_dir()]


def stamps(root: Path | KeptTree | None = None) -> tuple[int, ...]:
    """When files were last added to, replaced in or removed from the folders that hold facts."""
    return tuple(folder.stat().st_mtime_ns for folder in folders(_folder(root)))


def files(root: Path | KeptTree | None = None) -> dict[str, Path | KeptFile]:
    """Every facts file by its stem (`org--name`), in order."""
    found: dict[str, Path | KeptFile] = {}
    if root is not None and not isinstance(root, Path):
        found.update(_kept(root))
    for folder in folders(_folder(root)):
        for path in folder.glob("*.json"):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def load(name: str, root: Path | KeptTree | None = None) -> Facts | None:
    """The facts of a model by its exact name, None where there are none.

    Raises:
        ModelError: The file is there and cannot be used.
    """
    if not NAME.fullmatch(name):
        return None
    if root is not None and not isinstance(root, Path):
        kept = f"{FOLDER.as_posix()}/{file_name(name)}"
        if (content := root.stamp(kept)) is not None:
            return read(KeptFile(root, kept, content))
    for folder in folders(_folder(root)):
        path = folder / file_name(name)
        if path.is_file():
            return read(path)
    return None


def read(file: Path | KeptFile) -> Facts:
    """The facts in a file.

    Raises:
        ModelError: The file cannot be used.
    """
    if isinstance(file, KeptFile):
        if file.content not in _by_content:
            if len(_by_content) >= _KEPT:
                _by_content.clear()
            _by_content[file.content] = read_facts(_kept_text(file), file.path)
        return _by_content[file.content]
    try:
        stamp = file.stat()
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", file=str(file), help="is the file there?") from error
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


def of_path(folder: str, root: Path | KeptTree | None = None) -> Facts | None:
    """The facts that were made from the checkpoint in this very folder, None where there are none."""
    wanted = folder.rstrip("/")
    if not wanted:
        return None
    for path in files(root).values():
        # The search for the text is what keeps a hundred files from being decoded for one question.
        if _mentions(path, wanted) and wanted in (facts := read(path)).paths:
            return facts
    return None


def _folder(root: Path | KeptTree | None) -> Path | None:
    return root if isinstance(root, Path) else None


def _kept(tree: KeptTree) -> dict[str, KeptFile]:
    try:
        names = [entry.name for entry in tree.entries(FOLDER.as_posix()) if entry.name.endswith(".json")]
    except SourceError:  # a link, or no folder: as a folder of this machine that is none
        return {}
    paths = {name.removesuffix(".json"): f"{FOLDER.as_posix()}/{name}" for name in names}
    return {stem: KeptFile(tree, path, at) for stem, path in paths.items() if (at := tree.stamp(path)) is not None}


def _kept_text(file: KeptFile) -> str:
    try:
        return file.tree.read_up_to(file.path, LARGEST_BYTES).decode()
    except (SourceError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot be read: {error}", file=file.path, help="write it anew") from error


def _mentions(file: Path | KeptFile, text: str) -> bool:
    try:
        if isinstance(file, KeptFile):
            return text in _kept_text(file)
        stamp = file.stat()
        return text in _text(file, stamp.st_mtime_ns, stamp.st_size)
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
