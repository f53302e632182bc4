"""What pydantic says about a document -> findings in our own words, at the place that is meant."""

from __future__ import annotations

import difflib
import re
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from sgfleet.source.emit import flow, scalar
from sgfleet.spec import keys
from sgfleet.spec.models.base import Expect
from sgfleet.spec.models.expectation import (
    Hint,
    Target,
    expectation,
    kind_of,
    kinds,
    limits,
    takes_any_text,
    target,
)
from sgfleet.spec.models.fitting import entry_with, fits, item_of
from sgfleet.spec.secrecy import hidden_in
from sgfleet.spec.subject import BAD_VALUE, MISSING_KEY, RELEASE_NUMBER, UNKNOWN_KEY, WRONG_TYPE
from sgfleet.spec.text_faults import text_fault
from sgfleet.spec.words import name_of, quoted, such_as

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from sgfleet.findings import Finding
    from sgfleet.source.document import Route
    from sgfleet.spec.subject import Subject

_LONGEST_SHOWN: Final = 60
_LONGEST_ENTRY: Final = 200
_RELEASE_INSIDE: Final = re.compile(
    r"([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:[.-]?post[.-]?([0-9]{1,9}))?", re.IGNORECASE
)
_CURRENT_SERIES: Final = re.compile(r"[45]\.[0-9]+(?:\.post[0-9]+)?")


def problems(error: ValidationError, subject: Subject) -> list[Finding]:
    """One finding a place, in the order of the document."""
    errors = error.errors(include_url=False, include_input=False)
    located = [(target(subject.model, each["loc"], subject.data), each) for each in errors]
    taken = _meant(subject, located)
    found = [(where, each) for where, each in located if each["type"] != "missing" or where.route not in taken]
    deepest = {where.route for where, _ in found if not where.undecided}
    said: set[tuple[Route, bool]] = set()
    findings = []
    for where, each in found:
        covered = where.undecided and any(route[: len(where.route)] == where.route for route in deepest)
        if not covered and (where.route, where.key) not in said:
            said.add((where.route, where.key))
            findings.append(_finding(subject, where, each))
    return sorted(findings, key=lambda finding: finding.order)


def meant(error: ValidationError, subject: Subject) -> set[Route]:
    """What the unknown keys are taken for: where it stands is known, so nobody says that it is missing."""
    errors = error.errors(include_url=False, include_input=False)
    return _meant(subject, [(target(subject.model, each["loc"], subject.data), each) for each in errors])


def _meant(subject: Subject, located: Sequence[tuple[Target, ErrorDetails]]) -> set[Route]:
    said: set[Route] = set()
    if not any(each["type"] == "missing" for _, each in located):
        return said  # unknown keys may be many, and to compare them takes long
    for where, _ in located:
        if where.hint is None:
            *above, key = where.route
            said |= keys.meant(str(key), subject.model, above, where.owner.fields() if where.owner else {})
    return said


def _finding(subject: Subject, where: Target, error: ErrorDetails) -> Finding:
    if where.hint is None:
        return unknown_key(subject, where.route, where.owner)
    if error["type"] == "missing":
        return missing_key(subject, where.route, where.hint)
    if where.key:
        return _bad_key(subject, where)
    return _bad_value(subject, where, where.hint, str(error.get("ctx", {}).get("error", "")))


def unknown_key(subject: Subject, route: Route, owner: Hint | None) -> Finding:
    """A key that no field has, with those that may have been meant."""
    *above, key = route
    known = owner.fields() if owner else {}
    inside = f" in {name_of(above)}" if above else ""
    return subject.finding(
        UNKNOWN_KEY,
        route,
        f"unknown key {quoted(key)}{inside}",
        keys.advice(str(key), subject.model, above, known),
        part="key",
    )


def missing_key(subject: Subject, route: Route, hint: Hint, looked_in: Sequence[str] = ()) -> Finding:
    """A key that must be there. `looked_in` are the files that could have set it."""
    nowhere = " and no defaults set it" if looked_in else ""
    expected = expectation(hint)
    example = f", such as {route[-1]}: {flow(expected.examples[0])}" if expected.examples else f": {expected.what}"
    message = f"{name_of(route)} is missing{nowhere}"
    # A null that took an inherited value away is the place to look at; otherwise the mapping that lacks the key.
    where = route if subject.document.holds((*subject.route, *route)) else route[:-1]
    return subject.finding(MISSING_KEY, where, message, f"add it{example}", part="key", based_on=tuple(looked_in))


def _bad_key(subject: Subject, where: Target) -> Finding:
    assert where.hint is not None  # noqa: S101  # the caller has looked
    *above, key = where.route
    if choices := where.hint.choices:
        near = difflib.get_close_matches(str(key), map(str, choices), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(map(str, choices))}"
        return subject.finding(
            UNKNOWN_KEY, where.route, f"unknown key {quoted(key)} in {name_of(above)}", hint, part="key"
        )
    expected = expectation(where.hint)
    if fault := text_fault(str(key), where.hint.metadata, expected.what):
        message = f"{name_of(above)}: {quoted(key)} {fault[0]}"
        return subject.finding(BAD_VALUE, where.route, message, fault[1], part="key")
    message = f"{name_of(above)}: {quoted(key)} is not {expected.what}"
    return subject.finding(BAD_VALUE, where.route, message, such_as(expected), part="key")


def _bad_value(subject: Subject, where: Target, hint: Hint, advice: str) -> Finding:
    data = subject.value(where.route)
    expected = expectation(hint)
    written = subject.written(where.route)
    name = name_of(where.route)
    if _is_version(hint) and isinstance(data, int | float) and not isinstance(data, bool):
        message = f"{name}: {_shown(data, written)} is read as a number, and {expected.what} is text"
        if str(data) != written and len(str(data)) <= _LONGEST_SHOWN:
            message = f"{name}: {_shown(data, written)} is read as the number {data}, and {expected.what} is text"
        return subject.finding(RELEASE_NUMBER, where.route, message, _as_version(written, expected.what))
    kind = kind_of(data)
    wrong_type = kind not in kinds(hint) and not (kind == "a whole number" and "a number" in kinds(hint))
    secret = _may_be_secret(subject, where.route)
    message = f"{name}: {'what stands here' if secret else _shown(data, written)} is not {expected.what}"
    if isinstance(data, str) and (fault := text_fault(data, hint.metadata, expected.what)):
        return subject.finding(BAD_VALUE, where.route, f"{name} {fault[0]}", fault[1])
    if data is None:
        message = f"{name} is empty, and {expected.what} is expected"
    if "secrets" in where.route[:-1]:
        help_: str | None = f"{_REFERENCE}, {such_as(expected)}"
    elif secret:
        help_ = advice or such_as(expected)
    else:
        help_ = advice or _conversion(data, written, hint) or _near(data, hint) or _nearest_number(data, hint)
    help_ = help_ or such_as(expected)
    return subject.finding(WRONG_TYPE if wrong_type else BAD_VALUE, where.route, message, help_)


_REFERENCE: Final = "here stands the name of the variable that holds the secret in a file of environment-files"


def _may_be_secret(subject: Subject, route: Route) -> bool:
    """Whether a value is not shown: it may be what somebody wrote in the place of a secret's name."""
    top = {key: subject.data[key] for key in route[:1]} if isinstance(subject.data, dict) else {}
    return "secrets" in route[:-1] or any(each.route == route and each.part == "value" for each in hidden_in(top))


def _shown(data: Any, written: str) -> str:
    """The value in a sentence: as it is written, when that is short, or what form it has."""
    if isinstance(data, str) and not data:
        return "empty text"
    short = 0 < len(written) <= _LONGEST_SHOWN and written.isprintable()
    if isinstance(data, dict | list) or data is None or not short:
        return f"an empty {kind_of(data)[2:]}" if data in ([], {}) else kind_of(data)
    return written


def _is_version(hint: Hint) -> bool:
    from sgfleet.spec.models.facts import ComputeCapability
    from sgfleet.spec.models.service import ReleaseVersion

    expected = expectation(hint)
    return expected in (expectation(Hint.of(ReleaseVersion)), expectation(Hint.of(ComputeCapability)))


def _as_version(written: str, what: str) -> str:
    """What to write instead of a number. 5.10 was 0.5.10 once; 0.5 can be any release of its series."""
    if what != "a release":
        return f'put it in quotes: "{written}"'
    if _CURRENT_SERIES.fullmatch(written):
        return f'write it in full and in quotes: "0.{written}"'
    return 'write all three numbers, in quotes: "0.5.9"'


def _conversion(data: Any, written: str, hint: Hint) -> str | None:
    """How to write the same value in the form that is wanted."""
    wanted = kinds(hint)
    if takes_any_text(hint) and isinstance(data, bool | int | float) and written:
        return f'put it in quotes: "{written}"'
    if isinstance(data, str) and wanted & {"a whole number", "a number"} and "text" not in wanted:
        pattern = r"-?[0-9]+" if "a number" not in wanted else r"-?[0-9]+(\.[0-9]+)?"
        return f"write it without quotes: {data}" if re.fullmatch(pattern, data) else None
    if isinstance(data, str) and hint.fields() and (meant := entry_with(data, hint)):
        return f"such as {flow(meant)}"
    if wanted == {"a list"} and isinstance(data, dict) and (item := item_of(hint)) and item.fields():
        short = fits(data, item) and len(flow([data])) <= _LONGEST_ENTRY
        return f"write a list: {flow([data])}" if short else _entries_of(item)
    if "a list" in wanted and isinstance(data, str | int) and not isinstance(data, bool):
        return _as_list(str(data), hint, wanted)
    if wanted <= {"a mapping", "a list"} and data is None and not expectation(hint).examples:
        return f"write {'{}' if wanted == {'a mapping'} else '[]'} for none"
    return None


def _as_list(text: str, hint: Hint, wanted: set[str]) -> str | None:
    """The list that somebody means with one text: indices, or what has no blank or comma in it.

    Words that are no such items are no help: the list would be the next mistake.
    """
    item = item_of(hint)
    if item is None:
        return None
    words = [word for word in re.split(r"[\s,]+", text) if word]
    span = re.fullmatch(r"([0-9]{1,2})-([0-9]{1,2})", text)
    if "a whole number" in kinds(item):
        if span:
            words = list(map(str, range(int(span[1]), int(span[2]) + 1)))
        return f"write a list: [{', '.join(words)}]" if words and all(map(str.isdecimal, words)) else None
    if wanted != {"a list"} or not words:
        return None
    if item.fields():
        meant = [entry_with(word, item) for word in words]
        return f"such as {flow(meant)}" if all(meant) else _entries_of(item)
    return f"write a list: {flow(words)}" if all(fits(word, item) for word in words) else None


def _entries_of(item: Hint) -> str | None:
    """What a list consists of that nobody can make an example of."""
    if expectation(item).examples:
        return None
    needed = [key for key, field in item.fields().items() if field.is_required()]
    which = f"each with {' and '.join(needed)}" if needed else f"with keys such as {next(iter(item.fields()))}"
    return f"write a list of mappings, {which}"


_MEANT: Final = {
    "critical": "error",
    "disable": "off",
    "disabled": "off",
    "err": "error",
    "failure": "on-failure",
    "false": "off",
    "fatal": "error",
    "forking": "exec",
    "hint": "note",
    "idle": "exec",
    "ignore": "off",
    "ignored": "off",
    "info": "note",
    "never": "no",
    "none": "off",
    "notify": "exec",
    "oneshot": "exec",
    "skip": "off",
    "warn": "warning",
}
"""Words of other programs -> those of ours, where ours are asked for."""


def _near(data: Any, hint: Hint) -> str | None:
    """A value that may have been meant: another program's word, the nearest choice, or the release inside `v0.5.9`."""
    if isinstance(data, bool):
        data = str(data).lower()
    if not isinstance(data, str):
        return None
    choices = [*map(str, hint.choices), *(str(each) for branch in hint.branches for each in branch.choices)]
    if (meant := _MEANT.get(data.strip().lower())) in choices:
        return f"write {scalar(meant)}"
    if choices:
        near = difflib.get_close_matches(data.strip().lower(), choices, n=2)
        return f"did you mean {' or '.join(near)}?" if near else None
    if expectation(hint).what == "a release" and (inside := _RELEASE_INSIDE.search(data)):
        numbers, post = [str(int(number)) for number in inside.group(1, 2, 3)], inside[4]
        release = ".".join(numbers) + (f".post{int(post)}" if post else "")
        if inside.start() <= 1 + len(data) - len(data.lstrip()) and not data[inside.end() :].strip():
            return f'write "{release}"'
        return f'only final and post releases can be named, such as "{release}"'
    return None


def _nearest_number(data: Any, hint: Hint) -> str | None:
    """The amount that fits and comes nearest to one that does not.

    A number with a name of its own, such as an index, is no amount: nobody who wrote -1 meant 0.
    """
    if any(isinstance(each, Expect) for each in hint.metadata):
        return None
    if not isinstance(data, int | float) or isinstance(data, bool) or hint.origin is not int or not isfinite(data):
        return None
    low, high = limits(hint)
    return None if low is None or high is None else f"write {min(high, max(low, round(data)))}"
