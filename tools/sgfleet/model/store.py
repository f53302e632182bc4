"""Where model facts are, and those of one model by its name or by the folder that it was read from.

A root is a folder of this machine or the tree of a revision; what sgfleet was installed with comes after it.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.model.facts import NAME, check_form, read_facts
from sgfleet.model.problem import ANEW, ModelError
from sgfleet.source import data_file
from sgfleet.source.data_file import DataFileError
from sgfleet.source.problems import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgfleet.model.facts import Facts
    from sgfleet.source.tree import KeptTree

FOLDER: Final = Path("schema", "models")
"""Below a repository's root."""
LARGEST_BYTES: Final = 4 * 2**20
_KEPT: Final = 256
_FOLDER_BACK: Final = "take what the last good commit has in its place"
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
    kind: str = "file"

    def __str__(self) -> str:
        """As it is shown."""
        return self.path


def folders(root: Path | None = None) -> list[Path]:
    """The folders that hold facts; the first one wins: the repository's, then what sgfleet was installed with."""
    return [folder for folder in _candidates(root) if folder.is_dir()]


@lru_cache(maxsize=64)
def _candidates(root: Path | None) -> tuple[Path, ...]:
    return _ELSEWHERE if root is None else (root / FOLDER, *_ELSEWHERE)


def stamps(root: Path | KeptTree | None = None) -> tuple[int, ...]:
    """When files were last added to, replaced in or removed from the folders that hold facts."""
    return tuple(map(_changed_ns, _candidates(_folder(root))))


def files(root: Path | KeptTree | None = None) -> dict[str, Path | KeptFile]:
    """Every facts file by its stem (`org--name`), in order.

    Raises:
        ModelError: A folder of them cannot be listed.
    """
    found: dict[str, Path | KeptFile] = {}
    if root is not None and not isinstance(root, Path):
        found.update(_kept(root))
    for folder in _candidates(_folder(root)):
        for path in _in_folder(folder):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def damaged(root: Path | KeptTree, *, thorough: bool = True) -> list[ModelError]:
    """What is wrong with the facts of this repository: each file that cannot be used, or the folder as a whole.

    Without `thorough` a file is sound that is JSON of this format: a question about one host decodes what it needs of
    a hundred files, and is not the place to decode the others.
    """
    try:
        own = _in_folder(root / FOLDER) if isinstance(root, Path) else list(_kept(root).values())
    except ModelError as error:
        return [error]
    return [problem for file in own if (problem := _problem(file, read if thorough else skim)) is not None]


def _problem(file: Path | KeptFile, look: Callable[[Path | KeptFile], object]) -> ModelError | None:
    try:
        look(file)
    except ModelError as error:
        return error
    return None


def load(name: str, root: Path | KeptTree | None = None) -> Facts | None:
    """The facts of a model by its exact name, None where there are none.

    Raises:
        ModelError: The file is there and cannot be used.
    """
    if not NAME.fullmatch(name):
        return None
    if root is not None and not isinstance(root, Path):
        kept = f"{FOLDER.as_posix()}/{file_name(name)}"
        if (file := _kept(root).get(Path(kept).stem)) is not None:
            return read(file)
    for folder in _candidates(_folder(root)):
        path = folder / file_name(name)
        if _look(path) is not None:
            return read(path)
    return None


def read(file: Path | KeptFile) -> Facts:
    """The facts in a file.

    Raises:
        ModelError: The file cannot be used.
    """
    if isinstance(file, KeptFile):
        if file.kind != "file":
            raise ModelError(f"cannot be used: a {file.kind} in the place of a file", file=file.path, help=ANEW)
        if file.content not in _by_content:
            if len(_by_content) >= _KEPT:
                _by_content.clear()
            _by_content[file.content] = read_facts(_kept_text(file), file.path)
        return _by_content[file.content]
    if (stamp := _look(file)) is None:
        raise ModelError("cannot be read: there is no such file", file=str(file), help="is the file there?")
    return _read(file, stamp.st_mtime_ns, stamp.st_size)


def skim(file: Path | KeptFile) -> None:
    """Look whether a file is JSON of the format of facts.

    Raises:
        ModelError: It is not, or cannot be read.
    """
    check_form(_text_of(file), str(file))


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


def _changed_ns(folder: Path) -> int:
    """When something was last put into a folder; 0 where nobody can tell."""
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116 - asked for every service
    except OSError:
        return 0


def _in_folder(folder: Path) -> list[Path]:
    """The facts files in a folder of this machine.

    Raises:
        ModelError: It cannot be listed.
    """
    try:
        return [folder / name for name in data_file.names(folder, ".json")]
    except DataFileError as error:
        raise ModelError(f"cannot be used: {error.message}", file=error.path, help=error.help or _FOLDER_BACK) from None


def _look(path: Path) -> os.stat_result | None:
    """What is known of a facts file; None where there is none.

    Raises:
        ModelError: Something else is there, or nobody can tell.
    """
    try:
        return data_file.look(path)
    except DataFileError as error:
        raise _unusable(error) from None


def _unusable(error: DataFileError) -> ModelError:
    return ModelError(f"cannot be used: {error.message}", file=error.path, help=error.help or ANEW)


def _kept(tree: KeptTree) -> dict[str, KeptFile]:
    """The facts files of a revision.

    Raises:
        ModelError: Their folder cannot be listed.
    """
    try:
        entries = [entry for entry in tree.entries(FOLDER.as_posix()) if entry.name.endswith(".json")]
    except SourceError as error:
        finding = error.findings[0]
        raise ModelError(f"cannot be used: {finding.message}", file=FOLDER.as_posix(), help=_FOLDER_BACK) from None
    return {
        entry.name.removesuffix(".json"): KeptFile(tree, path, tree.stamp(path) or "", entry.kind.value)
        for entry in entries
        if not entry.name.startswith(".")
        for path in (f"{FOLDER.as_posix()}/{entry.name}",)
    }


def _kept_text(file: KeptFile) -> str:
    try:
        return file.tree.read_up_to(file.path, LARGEST_BYTES).decode()
    except (SourceError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot be read: {error}", file=file.path, help=ANEW) from error


def _mentions(file: Path | KeptFile, text: str) -> bool:
    try:
        return text in _text_of(file)
    except ModelError:
        return False


def _text_of(file: Path | KeptFile) -> str:
    """What a facts file holds.

    Raises:
        ModelError: It cannot be read.
    """
    if isinstance(file, KeptFile):
        return _kept_text(file)
    if (stamp := _look(file)) is None:
        raise ModelError("cannot be read: there is no such file", file=str(file), help="is the file there?")
    return _text(file, stamp.st_mtime_ns, stamp.st_size)


@lru_cache(maxsize=256)
def _read(path: Path, changed_ns: int, size_bytes: int) -> Facts:
    """Cached by the file's time and size: facts that are added while sgfleet runs are seen."""
    return read_facts(_text(path, changed_ns, size_bytes), str(path))


@lru_cache(maxsize=512)
def _text(path: Path, _changed_ns: int, _size_bytes: int) -> str:
    try:
        return data_file.read_bytes(path, LARGEST_BYTES).decode()
    except DataFileError as error:
        raise _unusable(error) from None
    except UnicodeDecodeError as error:
        raise ModelError(f"cannot be read: {error}", file=str(path), help=ANEW) from error
