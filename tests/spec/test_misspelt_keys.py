"""A misspelt key is one finding: what it is taken for is not told to be missing as well. Walked over all models."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from sgfleet.source.emit import flow
from sgfleet.source.read import read_text
from sgfleet.spec import valid
from sgfleet.spec.models.expectation import Hint, expectation
from sgfleet.spec.models.kinds import MODELS
from sgfleet.spec.problems import problems
from sgfleet.spec.subject import Subject
from spec.repositories import repository, said

CHECK = {"facts": valid.facts, "fleet": valid.fleet, "host": valid.host, "service": valid.service}


def least(hint):
    """As little of something as is right."""
    if fields := hint.fields():
        needed = {key: field for key, field in fields.items() if field.is_required()}
        return {key: least(Hint.of(field.annotation, field.metadata)) for key, field in needed.items()}
    if hint.choices:
        return hint.choices[0]
    examples = expectation(hint).examples
    return examples[0] if examples else {int: 0, str: "some text", dict: {}}[hint.origin]


def mappings(hint, way=()):
    """Every mapping with keys of its own: the way to it, and what it is."""
    if fields := hint.fields():
        yield way, hint
        for key, field in fields.items():
            yield from mappings(Hint.of(field.annotation, field.metadata), (*way, key))
    elif hint.branches:
        for each in hint.branches:
            yield from mappings(each, way)
    elif hint.origin is dict:
        key, value = map(Hint.of, get_args(hint.type))
        yield from mappings(value, (*way, least(key)))
    elif hint.origin is tuple:
        yield from mappings(Hint.of(get_args(hint.type)[0]), (*way, 0))


REQUIRED = [
    (kind, way, hint, key)
    for kind, model in MODELS.items()
    for way, hint in mappings(Hint(model))
    for key, field in hint.fields().items()
    if field.is_required()
]


def placed(kind, way, value):
    """The least of a document that has the value at the end of a way."""
    if not way:
        return value
    whole = Hint(MODELS[kind])
    data = least(whole)
    at, hint = data, whole
    for depth, step in enumerate(way):
        if isinstance(step, str):
            hint = Hint.of(hint.fields()[step].annotation) if hint.fields() else Hint.of(get_args(hint.type)[1])
        else:
            hint = Hint.of(get_args(hint.type)[0])
        inner = value if depth == len(way) - 1 else [] if hint.origin is tuple else least(hint)
        if isinstance(at, list):
            at.append(inner)
        else:
            at[step] = inner
        at = inner
    return data


def told(kind, data):
    document = read_text("".join(f"{key}: {flow(value)}\n" for key, value in data.items()), "f.yaml")
    try:
        CHECK[kind](document.data)
    except valid.ValidationError as error:
        return problems(error, Subject(document, (), document.data, kind))
    return []


def slips(key):
    """Ways to misspell a key: two letters in the wrong order, one too few, one too many, the case, an underscore."""
    yield from (key[:at] + key[at + 1] + key[at] + key[at + 2 :] for at in range(len(key) - 1))
    yield from (key[:at] + key[at + 1 :] for at in range(len(key)))
    yield from (key[:at] + key[at] + key[at:] for at in range(len(key)))
    yield from (key.upper(), key.capitalize(), f"{key}s", key.replace("-", "_"))


@pytest.mark.parametrize(("kind", "way", "hint", "key"), REQUIRED, ids=lambda each: str(each)[:30])
def test_one_slip_is_one_finding(kind, way, hint, key):
    right = least(hint)
    assert told(kind, placed(kind, way, right)) == []
    known = set(hint.fields())
    for slip in sorted({*slips(key)} - known):
        found = told(kind, placed(kind, way, {slip if each == key else each: right[each] for each in right}))
        assert [each.code for each in found] == ["SPC001"], (slip, [each.message for each in found])
        meant = re.fullmatch(r"did you mean (.*)\?", found[0].help)
        assert meant, (slip, found[0].help)
        assert key in meant[1].split(" or "), slip


@pytest.mark.parametrize("key", ["release", "python"])
def test_what_stands_in_another_mapping_is_not_missing_either(tmp_path, key):
    service = {"release": "0.5.9", "python": "/p"}
    service["unit"] = {key: service.pop(key)}
    host = f"host: h\nservices:\n  a: {flow(service)}\n"
    (found,) = repository(tmp_path, {"hosts/h/host.yaml": host}).host("h").findings
    assert (found.code, found.help) == ("SPC001", f"{key} stands one level up")


def test_what_no_key_is_taken_for_is_missing(tmp_path):
    host = 'host: h\nservices:\n  a: {relase: "0.5.9"}\n  b: {something: /p, release: "0.5.9"}\n'
    lines = said(repository(tmp_path, {"hosts/h/host.yaml": host}).host("h").findings)
    assert [line.split(" | ")[0].partition(" ")[2] for line in lines] == [
        "SPC001 unknown key 'relase'",
        "SPC002 python is missing",
        "SPC001 unknown key 'something'",
        "SPC002 python is missing",
    ]


def lists(hint, way=()):
    """Every list of mappings: the way to it, its type."""
    if fields := hint.fields():
        for key, field in fields.items():
            yield from lists(Hint.of(field.annotation, field.metadata), (*way, key))
    elif hint.branches:
        for each in hint.branches:
            yield from lists(each, way)
    elif hint.origin is dict:
        key, value = map(Hint.of, get_args(hint.type))
        yield from lists(value, (*way, least(key)))
    elif hint.origin is tuple:
        item = Hint.of(get_args(hint.type)[0])
        if item.fields():
            yield way, item
        yield from lists(item, (*way, 0))


LISTS = [(kind, way, item) for kind, model in MODELS.items() for way, item in lists(Hint(model))]


@pytest.mark.parametrize("given", ["FCT009", "FCT009, FLG001", "/srv/x", "A100", 8, "because it is so", {"name": "x"}])
@pytest.mark.parametrize(("kind", "way", "item"), LISTS, ids=lambda each: str(each)[:30])
def test_no_list_of_mappings_is_made_of_words(kind, way, item, given):
    """The help is an entry that is right, or names the keys of one."""
    assert told(kind, placed(kind, way, [least(item)])) == []
    (found,) = told(kind, placed(kind, way, given))
    needed = [key for key, field in item.fields().items() if field.is_required()]
    if found.help.startswith("write a list of mappings, "):
        assert not expectation(item).examples
        assert all(key in found.help for key in needed)
        return
    example = read_text("x: " + found.help.removeprefix("such as ").removeprefix("write a list: "), "f").data["x"]
    assert told(kind, placed(kind, way, example)) == []
    for word in ("FCT009", "/srv/x"):
        if given == word and (("code" in needed and word == "FCT009") or ("path" in needed and word != "FCT009")):
            assert example[0][needed[0]] == word


@pytest.mark.parametrize(
    ("given", "help_"),
    [
        ("waive: FCT009", "such as [{code: FCT009, reason: two small models share this GPU on purpose}]"),
        ("waive: [FCT009]", "such as {code: FCT009, reason: two small models share this GPU on purpose}"),
        (
            "waive: {code: FCT009, reason: known to all here}",
            "write a list: [{code: FCT009, reason: known to all here}]",
        ),
        ("environment-files: secrets.env", "such as [/etc/sglang/secrets.env]"),
        ("environment-files: /a /b", "write a list: [/a, /b]"),
        ("unit: {after: nvidia}", "such as [network-online.target]"),
        ("gpus: 0-2", "write a list: [0, 1, 2]"),
    ],
)
def test_the_list_that_is_proposed_is_right(tmp_path, given, help_):
    host = f'host: h\nservices:\n  a:\n    release: "0.5.9"\n    python: /p\n    {given}\n'
    (found,) = repository(tmp_path, {"hosts/h/host.yaml": host}).host("h").findings
    assert found.help == help_
