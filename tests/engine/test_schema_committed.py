"""The committed schemas: whole, in their one form, valid, and with the numbers that the releases' own parsers have."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator

from sgfleet.engine import schema_file, store, version, wheel_release
from sgfleet.engine.argv import history
from sgfleet.engine.descriptions import json_flags, sentences
from sgfleet.engine.flag import SUPPRESSED

if TYPE_CHECKING:
    from sgfleet.engine.release import Release

FOLDER = Path(__file__).resolve().parents[2] / store.FOLDER
RELEASES = store.versions_in(FOLDER)

# flags, option strings, flags with choices, deprecated flags, actions other than store and store_true
COUNTS = {
    "0.4.0": (82, 85, 11, 4, {"LoRAPathAction": 1, "DeprecatedAction": 4}),
    "0.4.3": (98, 102, 14, 0, {"LoRAPathAction": 1}),
    "0.4.6.post1": (124, 128, 18, 2, {"LoRAPathAction": 1, "DeprecatedAction": 2}),
    "0.4.9": (166, 172, 19, 0, {"LoRAPathAction": 1}),
    "0.5.1": (199, 206, 29, 6, {"LoRAPathAction": 1}),
    "0.5.3": (246, 254, 37, 7, {"LoRAPathAction": 1, "DeprecatedAction": 7}),
    "0.5.5": (273, 281, 44, 0, {"LoRAPathAction": 1}),
    "0.5.6": (288, 296, 44, 0, {"LoRAPathAction": 1}),
    "0.5.8": (328, 336, 53, 2, {"LoRAPathAction": 1, "DeprecatedAction": 2}),
    "0.5.9": (331, 341, 54, 2, {"LoRAPathAction": 1, "DeprecatedAction": 2}),
    "0.5.10": (
        354, 365, 58, 5,
        {"LoRAPathAction": 1, "DeprecatedAction": 3, "DeprecatedStoreTrueAction": 1, "BooleanOptionalAction": 1},
    ),
    "0.5.12": (
        387, 402, 58, 6,
        {"LoRAPathAction": 1, "DeprecatedAction": 4, "DeprecatedStoreTrueAction": 1, "BooleanOptionalAction": 3},
    ),
    "0.5.15": (
        437, 451, 75, 23,
        {
            "LoRAPathAction": 1, "DeprecatedAction": 2, "DeprecatedStoreTrueAction": 5, "DeprecatedStoreConstAction": 3,
            "DeprecatedAliasStoreAction": 12, "BooleanOptionalAction": 2,
        },
    ),
    "0.5.18": (
        488, 506, 89, 29,
        {
            "LoRAPathAction": 1, "DeprecatedAction": 3, "DeprecatedStoreTrueAction": 6, "DeprecatedStoreConstAction": 3,
            "DeprecatedAliasStoreAction": 12, "BooleanOptionalAction": 5,
        },
    ),
    "0.5.20": (494, 513, 91, 6, {"LoRAPathAction": 1, "DeprecatedStoreTrueAction": 1, "BooleanOptionalAction": 6}),
    "0.5.23": (
        531, 559, 96, 6,
        {
            "LoRAPathAction": 1, "DeprecatedStoreTrueAction": 2, "DeprecatedStoreConstAction": 1,
            "BooleanOptionalAction": 12,
        },
    ),
}  # fmt: skip


@cache
def text(release: str) -> str:
    return (FOLDER / f"{release}.json").read_text(encoding="utf-8")


@cache
def load(release: str) -> Release:
    return schema_file.decode(text(release), release)


def test_every_release_from_the_first_on_is_here() -> None:
    assert len(RELEASES) >= 92
    assert RELEASES[0] == version.FIRST
    assert {"0.4.10.post2", "0.5.8.post1", "0.5.9", "0.5.23"} <= set(RELEASES)


@pytest.mark.parametrize("release", COUNTS)
def test_the_numbers_are_those_of_the_releases_own_parser(release: str) -> None:
    flags = load(release).flags
    others = Counter(flag.action for flag in flags if flag.action not in ("store", "store_true"))
    assert (
        len(flags),
        sum(len(flag.options) for flag in flags),
        sum(flag.choices is not None for flag in flags),
        sum(flag.deprecation is not None for flag in flags),
        dict(others),
    ) == COUNTS[release]


def test_every_file_has_its_one_form() -> None:
    for release in RELEASES:
        assert schema_file.encode(wheel_release.annotated(load(release))) == text(release), (
            f"{release}: `sgfleet schema add --rewrite` puts the files into the form of today"
        )


def test_every_file_is_valid_json_schema() -> None:
    properties: dict[str, object] = {}
    for release in RELEASES:
        schema = json.loads(text(release))
        # The same line stands in many releases: each is looked at once.
        properties |= {json.dumps(line): line for line in schema.pop("properties").values()}
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
        assert schema["additionalProperties"] is False
    Draft202012Validator.check_schema({"$defs": {str(number): line for number, line in enumerate(properties.values())}})


def test_every_file_is_small_and_has_a_flag_a_line() -> None:
    for release in RELEASES:
        assert len(text(release).encode()) < 125_000
        lines = text(release).splitlines()
        first = lines.index('"properties": {') + 1
        assert len(lines) - first - 2 == sum(len(flag.options) for flag in load(release).flags)


def test_nothing_is_opaque_and_no_help_text_is_carried_over() -> None:
    known = set(sentences().values())
    for release in RELEASES:
        assert [flag.name for flag in load(release).flags if flag.opaque] == []
        for name, line in json.loads(text(release))["properties"].items():
            description = line.get("description", "Type: an alias refers to its flag")
            assert description.startswith(("Type: ", "One of ", "List of ", *known)), name


def test_aliases_refer_to_the_flag_that_they_name() -> None:
    for release in RELEASES:
        properties = json.loads(text(release))["properties"]
        for flag in load(release).flags:
            for alias in flag.names[1:]:
                assert properties[alias] == {"$ref": f"#/properties/{flag.name}"}


def test_a_default_that_an_editor_offers_may_be_written() -> None:
    odd = []
    for release in RELEASES:
        for flag in load(release).flags:
            line = json.loads(text(release))["properties"][flag.name] if flag.choices is not None else {}
            if flag.choices is not None and flag.default not in (None, SUPPRESSED) and "default" not in line:
                odd.append((release, flag.name, flag.default))
    # What the wheels say: defaults that nobody can write, because they are no choice.
    assert {entry[1:] for entry in odd} == {
        ("hicache-io-backend", ""),
        ("flashinfer-mxfp4-moe-precision", "default"),
        ("monokernel-backend", False),
    }


def test_the_newest_schema_takes_what_people_write_and_nothing_else() -> None:
    validator = Draft202012Validator(json.loads(text("0.5.23")))
    good = {
        "model-path": "/models/m", "tp-size": 8, "tensor-parallel-size": 8, "hicache-ratio": 4,
        "enable-hierarchical-cache": True, "quantization": "fp8", "cuda-graph-bs-decode": [1, 2],
        "context-length": "8Ki",
        "max-total-tokens": 100, "json-model-override-args": {"a": 1}, "lora-paths": ["a=b", {"lora_name": "a"}],
        "model-checksum": True, "no-lora-strict-loading": True, "served-model-name": "m",
        "cuda-graph-config": {"decode": {"max_bs": 8}},
    }  # fmt: skip
    assert not list(validator.iter_errors(good))
    assert not list(validator.iter_errors(dict.fromkeys(good)))
    bad = {
        "tp": 8, "tp-size": "8", "hicache-ratio": "4", "enable-hierarchical-cache": "yes", "quantization": "fp7",
        "cuda-graph-bs-decode": 8, "context-length": "8K", "served-model-name": 5, "model-checksum": False,
        "cuda-graph-config": {"decode": {"bs_max": 8}}, "mem_fraction_static": 0.9,
    }  # fmt: skip
    for name, value in bad.items():
        assert list(validator.iter_errors({name: value})), name


def test_every_described_flag_exists_and_every_sentence_is_short_and_plain() -> None:
    names = {name for release in RELEASES for flag in load(release).flags for name in flag.names}
    assert not sentences().keys() - names
    assert not json_flags() - names
    assert len(sentences()) >= 100
    for name, sentence in sentences().items():
        assert 10 < len(sentence) <= 120, name
        assert sentence.endswith("."), name
        assert sentence[0].isupper() or sentence.startswith(("a ", "the ")), name


def test_the_index_of_options_is_that_of_the_files() -> None:
    assert (FOLDER / history.FILE).read_text(encoding="utf-8") == history.index_of(
        load(release) for release in RELEASES
    )


def test_facts_of_a_release() -> None:
    old, new = load("0.4.0"), load("0.5.23")
    assert (old.requires_python, new.requires_python) == (">=3.8", ">=3.11")
    assert (old.config_parser, new.config_parser) == (None, "sglang.srt.utils.server_args_config_parser")
    assert load("0.5.3").config_parser == "sglang.srt.server_args_config_parser"
    assert new.environment == {"SGLANG_KV_CANARY_ENABLE_TOKEN_ORACLE": {"sampling-backend": ("token_oracle",)}}
    assert old.renamed["tensor_parallel_size"] == "tp_size"
    assert new.origin is not None
    assert len(new.origin.sha256) == 64
    assert "sglang.srt.arg_groups.fields.memory" in new.origin.modules


def test_what_the_wheels_show_of_single_flags() -> None:
    assert load("0.5.23").by_name["enable-hicache"].name == "enable-hierarchical-cache"
    assert load("0.5.15").by_name["hicache-ratio"].default == 2.0
    assert load("0.5.18").by_name["hicache-ratio"].default is None
    assert load("0.5.9").by_name["hybrid-kvcache-ratio"].nargs == 0
    assert load("0.4.9").by_name["hybrid-kvcache-ratio"].const == 0.5
    assert load("0.5.15").by_name["cuda-graph-max-bs"].deprecation is not None
    assert "cuda-graph-max-bs" not in load("0.5.20").by_name
    assert load("0.5.9").by_name["sampling-backend"].choices == ("ascend", "flashinfer", "pytorch")
    assert load("0.4.2").by_name["disable-jump-forward"].action == "store_true"
    assert load("0.4.3").by_name["device"].type == "str"
    assert [flag.type for flag in load("0.4.3").flags].count("bool") == 1
    assert [flag.type for flag in load("0.5.3").flags if flag.semantics == "json"] == ["json_list_type"]
