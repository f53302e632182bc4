"""What an entry leaves open: which release it was, what its flags mean, which model of ours has its shape."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine import store
from sgfleet.engine.argv.outcome import Parsed
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.version import in_order
from sgfleet.memory.accuracy.entry import finite
from sgfleet.memory.architectures import first_release
from sgfleet.memory.era import from_release
from sgfleet.memory.flags import from_namespace
from sgfleet.model import store as models
from sgfleet.model.find import STORAGE_WORDS, VARIANT, Found, find
from sgfleet.model.problem import ModelError
from sgfleet.model.shape import Quantisation, Storage

if TYPE_CHECKING:
    from sgfleet.engine.release import Release
    from sgfleet.memory.accuracy.entry import Entry
    from sgfleet.memory.settings import Settings

_DATES: Final = Path(__file__).with_name("releases.json")
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+(?:\.post\d+)?")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_BRANCH: Final = re.compile(r"\b(branch|main|master|nightly|trunk|git|dev\w*)\b", re.IGNORECASE)
"""Words for code that is on its way into the next release."""
_PARTS: Final = re.compile(r"[a-z]+|\d+(?:\.\d+)?[a-z]?")
_QUANTISED: Final = ("attention", "output", "dense", "shared", "experts")
_ALIKE: Final = frozenset({"nvfp4", "fp4", "mxfp4", "int8", "w8a8"})
"""Words for storage that this module does not imitate: such a twin keeps its own."""
_INT4: Final = Storage("int4", 4, scale_bits=16, group_size=128, zero_points=True)
_FP8: Final = Storage("fp8", 8)


@dataclass(frozen=True, slots=True)
class ReleaseGuess:
    """A release, and how sure it is: None for one that was named."""

    version: str
    doubt: str | None = None


@lru_cache(maxsize=1)
def release_dates() -> dict[str, str]:
    """Release -> the day on which its wheel was built, the oldest first."""
    dates: dict[str, str] = json.loads(_DATES.read_text(encoding="utf-8"))
    return dates


def release_of(entry: Entry, architecture: str | None = None) -> ReleaseGuess:
    """The release of an entry: named, or the newest at its date, or the oldest that takes its flags and its model."""
    known = store.available()
    first = first_release(architecture) if architecture is not None else None
    named = [version for version in _VERSION.findall(entry.version or "") if version in known]
    if len(named) == 1 and _is_only(entry.version or "", named[0]):
        return ReleaseGuess(named[0])
    day = _day(entry)
    if day is not None:
        dates = {version: built for version, built in release_dates().items() if version in known}
        if _BRANCH.search(entry.version or ""):
            later = [version for version, built in dates.items() if built > day]
            return ReleaseGuess(in_order(later or known[-1:])[0], f"a branch of {day}: taken for the next release")
        before = [version for version, built in dates.items() if built <= day]
        version = in_order(before)[-1] if before else known[0]
        if len(named) > 1:
            low, high = in_order(named)[0], in_order(named)[-1]
            version = in_order([low, version, high])[1] if low != high else low
        return ReleaseGuess(version, f"release not said: the newest at {day}")
    if named:
        return ReleaseGuess(in_order(named)[0], f"release not said exactly: {entry.version}")
    able = [version for version in known if first is None or from_release(version, first)] or known
    version = min(able, key=lambda each: _refused(store.load(each), entry.flags))
    return ReleaseGuess(version, "release not said: the oldest that knows model and flags")


def _refused(release: Release, words: tuple[str, ...]) -> int:
    """How many of these options a release does not have."""
    names = [word[2:].partition("=")[0] for word in words if word.startswith("--")]
    return sum(1 for name in names if not any(known.startswith(name) for known in release.by_name))


def _is_only(text: str, version: str) -> bool:
    return "between" not in text and "branch" not in text and text.count(version) >= 1


def _day(entry: Entry) -> str | None:
    texts = [value for value in entry.facts.values() if isinstance(value, str)] + [entry.version or ""]
    found = [match.group() for text in texts if (match := _DATE.search(text))]
    return min(found, default=None)


def settings_in(entry: Entry, release: Release) -> tuple[Settings, str | None]:
    """The settings that the entry's flags give, and what is wrong with the flags."""
    words = entry.flags
    if not any(word.startswith("--model") for word in words):
        words = ("--model-path", entry.model, *words)
    outcome = parse(release, words)
    if isinstance(outcome, Parsed):
        namespace, doubt = dict(outcome.namespace), None
    else:
        namespace, doubt = _leniently(words, release), f"{release.version} would not take these flags"
    settings = from_namespace(release.version, namespace, entry.env)
    changes: dict[str, Any] = {}
    if entry.tp is not None and settings.tp != entry.tp:
        changes["tp"] = entry.tp
    for fact, name in (("prefill_token_budget", "chunked_prefill_tokens"), ("kv_block_size", "page_size")):
        size = finite(entry.facts.get(fact))
        if size is not None and size >= 1 and getattr(settings, name) is None:
            changes[name] = int(size)
    if isinstance(kv := entry.facts.get("kv_cache_dtype_effective"), str) and kv.split():
        changes["kv_dtype"] = kv.split()[0]
    return settings._replace(**changes), doubt


def _leniently(words: tuple[str, ...], release: Release) -> dict[str, Any]:
    """Values by destination from words that the parser refuses: what it does not know is left out."""
    values: dict[str, Any] = {flag.dest: release.defaults.get(flag.dest) for flag in release.flags}
    names = release.by_name
    index = 0
    while index < len(words):
        word, _, attached = words[index].partition("=")
        index += 1
        if not word.startswith("--"):
            continue
        name = word[2:]
        likely = [name] if name in names else [other for other in names if other.startswith(name)]
        given = [attached] if attached else []
        while index < len(words) and not words[index].startswith("--"):
            given.append(words[index])
            index += 1
        if likely:
            flag = names[likely[0]]
            values[flag.dest] = _value(given[0], flag.type) if given else True
    return values


def _value(word: str, kind: str | None) -> Any:
    try:
        if kind in ("int", "human_readable_int"):
            return int(word)
        return float(word) if kind == "float" else word
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class ModelGuess:
    """A model of ours, and how it differs from the one that ran: None for the very one."""

    found: Found
    doubt: str | None = None


def model_of(name: str) -> ModelGuess | None:
    """The model that a log's words mean, or one with the same shape; None where there is none."""
    plain = name.split("(")[0].strip()
    if not plain:
        return None
    try:
        found = find(plain, local=False)
    except ModelError:
        return _twin(plain)
    alike = found.shape.source
    return ModelGuess(found, None if alike.match == "exact" else f"taken for {alike.name}")


def _twin(name: str) -> ModelGuess | None:
    """Facts of the same family, version and size, whatever their weights are stored as."""
    wanted = _Words(name)
    best: tuple[int, str] | None = None
    for stem in models.files():
        score = wanted.likeness(_Words(stem.replace("--", "/", 1)))
        if score and (best is None or score > best[0]):
            best = (score, stem)
    if best is None:
        return None
    shape = models.read(models.files()[best[1]]).shape
    named = set(re.split(r"[-_\s/]+", name.lower())) & STORAGE_WORDS.keys()
    stored = replace(shape, quantisation=_storage(name)) if named - _ALIKE else shape
    twin = best[1].replace("--", "/", 1)
    return ModelGuess(Found(stored), f"no facts of this model: its shape is taken from {twin}")


def _storage(name: str) -> Quantisation | None:
    """How the weights of a model are stored, as far as its name says."""
    words = set(re.split(r"[-_\s/]+", name.lower()))
    if words & {"awq", "gptq", "int4", "w4a16"}:
        return Quantisation("awq", tuple((part, _INT4) for part in _QUANTISED))
    if words & {"fp8", "w8a8"}:
        return Quantisation("fp8", tuple((part, _FP8) for part in _QUANTISED))
    return None


def _is_variant(word: str) -> bool:
    """A word that says nothing about the shape; a version ("v3.2") does."""
    return VARIANT.fullmatch(word) is not None and re.fullmatch(r"v\d.*", word) is None


class _Words:
    """A model's name in parts: family (letters), numbers in order, sizes ("70b", "a22b")."""

    def __init__(self, name: str) -> None:
        last = name.rsplit("/", 1)[-1].lower()
        words = [word for word in re.split(r"[-_\s]+", last) if word and word not in STORAGE_WORDS]
        parts = [part for word in words if not _is_variant(word) for part in _PARTS.findall(word)]
        self.sizes = {part for part in parts if part[0].isdigit() and part.endswith("b")}
        self.numbers = [part for part in parts if part[0].isdigit() and not part.endswith("b")]
        self.family = [part for part in parts if part[0].isalpha()]

    def likeness(self, other: _Words) -> int:
        """0 for another model; more the more is the same. A finer version may differ ("3.1", "3.3")."""
        if not self.family or not other.family or self.family[0] != other.family[0] or self.sizes != other.sizes:
            return 0
        mine, theirs = (words.numbers[0] if words.numbers else "" for words in (self, other))
        if mine.split(".")[0] != theirs.split(".")[0]:
            return 0
        shared = len(set(self.family) & set(other.family))
        if not self.sizes and mine != theirs:
            return 0
        return 1 + shared + (2 if mine == theirs else 0) - len(set(other.family) - set(self.family))
