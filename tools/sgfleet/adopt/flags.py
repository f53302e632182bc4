"""The words behind the entry module -> `flags:` and `secrets:` that give the release's parser the same values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sgfleet.adopt.containers import on_host
from sgfleet.adopt.start import Refused
from sgfleet.engine.argv import config
from sgfleet.engine.argv.advice import advised
from sgfleet.engine.argv.outcome import Parsed
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.argv.parser import parser_of
from sgfleet.engine.argv.values import check_value
from sgfleet.engine.argv.words import flags_to_argv
from sgfleet.spec.secret_names import holds_secret, names_secret
from sgfleet.spec.secret_shapes import kind_of_secret

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgfleet.adopt.start import Start
    from sgfleet.engine.argv.outcome import Given
    from sgfleet.engine.flag import Flag
    from sgfleet.engine.release import Release

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
STAND_IN: Final = "x"
"""Stands for a value that comes from a variable, while the rest is parsed."""


@dataclass(slots=True)
class Carried:
    """Flags as YAML values, secrets as names of variables, and the secrets whose values somebody has to move."""

    flags: dict[str, Any] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)


def carry(start: Start, words: Sequence[str], release: Release, service: str) -> Carried:
    """What the words say, by declared names.

    Raises:
        Refused: the release does not take them, or a value cannot be carried over exactly.
    """
    carried = Carried()
    own = [on_host(start, word) if start.paths else word for word in words]
    if own != list(words):
        start.told.notes.append("paths in the container: the host's paths of its volumes stand in their place")
    own = list(_without_references(start, own, release, carried))
    own, file = _without_config(own, release)
    for name in carried.secrets:
        if release.by_name[name].required:
            own = [f"--{name}={STAND_IN}", *own]
    outcome = parse(release, own)
    if not isinstance(outcome, Parsed):
        told = advised(release, own, outcome)
        assert not isinstance(told, Parsed)  # noqa: S101 - advice makes nothing right
        secret = told.option is not None and names_secret(told.option)  # its words may repeat the value
        why = f"{told.option}: a value that it refuses" if secret else told.message
        raise Refused(f"SGLang {release.version} does not take the command line: {why}", told.help)
    last = {use.flag.dest: use for use in outcome.given}
    for use in last.values():
        if use.flag.names[0] not in carried.secrets and not set(use.flag.names) & set(carried.secrets):
            _carry_one(start, use, release, carried)
    for note in outcome.notes:
        if note.kind in ("ignored", "repeated", "fails-later"):
            start.told.notes.append(note.message)
    if file is not None:
        carried.flags["config"] = file
        start.told.notes.append(
            "config: the file is read on the host at each start; what stands in it is not seen here"
        )
    _hold_against(own, release, carried)
    _take_secrets(service, carried, release)
    return carried


def _carry_one(start: Start, use: Given, release: Release, carried: Carried) -> None:
    flag, option = use.flag, use.option
    if flag.action == "DeprecatedAction":
        start.told.notes.append(f"{option}: without effect in {release.version}, and left out")
        return
    name = option.removeprefix("--")
    deprecation = flag.deprecation
    instead = (deprecation.instead or "").removeprefix("--") if deprecation else ""
    better = release.by_name.get(instead)
    if better is not None and better.dest == flag.dest and (value := _yaml(better, use.value, instead)) is not None:
        start.told.notes.append(f"{option} is deprecated: written as {instead}")
        carried.flags[instead] = value
        return
    if use.abbreviated:
        start.told.notes.append(f"{use.token} is short for {option}")
    value = _yaml(flag, use.value, name)
    if value is None:
        raise Refused(f"{option}: this value cannot be written in YAML so that the release reads the same")
    if flag.action == "BooleanOptionalAction" and name.startswith("no-"):
        name, value = flag.name, use.value
    carried.flags[name] = value


def _yaml(flag: Flag, held: Any, name: str) -> Any:
    """The YAML value that makes the server hold `held`; None where there is none."""
    if flag.nargs == 0 or flag.action in ("store_true", "store_false", "store_const"):
        return held if flag.action == "BooleanOptionalAction" else True
    if isinstance(held, tuple):
        held = list(held)
    several = flag.nargs in ("+", "*") or isinstance(flag.nargs, int)
    candidates: list[Any] = [held]
    if flag.nargs == "?" and held == flag.const:
        candidates.append(True)
    if held is None:
        candidates = ["None", ""]
    if isinstance(held, dict) and several:  # adapters by name, before 0.5.1
        candidates = [[f"{key}={path}" if key != path else key for key, path in held.items()]]
    if isinstance(held, bool):
        candidates += [str(held), ""]
    if flag.action == "DeprecatedStoreConstAction":
        candidates += [STAND_IN, 1]
    if not isinstance(held, str | bool | type(None)) and not several:
        candidates.append(str(held))
    return next((each for each in candidates if check_value(flag, each, name) is None), None)


def _without_references(start: Start, words: list[str], release: Release, carried: Carried) -> Iterator[str]:
    """The words without the flags whose whole value is a variable: those go to `secrets`."""
    parser = parser_of(release)
    at = 0
    while at < len(words):
        word = words[at]
        option, equals, value = word.partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        reference = _REFERENCE.fullmatch(value if equals else following)
        if word.startswith("--") and reference and reference[1] in start.references:
            full = [each for each in parser.long_options if each == option] or [
                each for each in parser.long_options if each.startswith(option)
            ]
            if len(full) != 1:
                raise Refused(f"SGLang {release.version} has no option {option}, or more than one that begins like it")
            carried.secrets[full[0].removeprefix("--")] = reference[1]
            at += 1 if equals else 2
            continue
        if named := [each for each in _REFERENCE.findall(word) if each in start.references]:
            raise Refused(
                f"a word of the command line depends on {named[0]}, which is not known here",
                f"write its value in place of ${{{named[0]}}}",
            )
        yield word
        at += 1


def _without_config(words: list[str], release: Release) -> tuple[list[str], str | None]:
    if config.OPTION not in words or release.config_parser is None:
        return words, None
    at = words.index(config.OPTION)
    if words.count(config.OPTION) > 1 or at + 1 >= len(words):
        return words, None
    return [*words[:at], *words[at + 2 :]], words[at + 1]


def _hold_against(words: list[str], release: Release, carried: Carried) -> None:
    """The proof: what is rendered of the flags gives the server the same values as the words did."""
    given = {name: value for name, value in carried.flags.items() if name != "config"}
    line = flags_to_argv(release, given)
    stand_ins = [f"--{name}={STAND_IN}" for name in carried.secrets if release.by_name[name].required]
    rendered = parse(release, [*stand_ins, *line.words])
    wanted = parse(release, words)
    if line.problems:
        problem = line.problems[0]
        raise Refused(f"{problem.name}: its value cannot be written in YAML")
    if not isinstance(wanted, Parsed) or not isinstance(rendered, Parsed) or not _same(wanted, rendered):
        raise Refused("the same values cannot be said in YAML", "import it without its rarest flags, and add those")


def _same(one: Parsed, other: Parsed) -> bool:
    return repr(sorted(one.namespace.items(), key=lambda each: each[0])) == repr(
        sorted(other.namespace.items(), key=lambda each: each[0])
    )


def _take_secrets(service: str, carried: Carried, release: Release) -> None:
    for name, value in list(carried.flags.items()):
        text = value if isinstance(value, str) else ""
        if release.by_name[name].nargs == 0:
            continue
        if (names_secret(name) and holds_secret(value)) or any(map(kind_of_secret, _texts(value))):
            variable = re.sub("[^A-Z0-9]+", "_", f"{service}_{name}".upper()).lstrip("0123456789_")
            carried.secrets[name] = variable
            carried.moved[name] = variable
            del carried.flags[name]
            if not text:
                raise Refused(f"{name} holds a secret inside of JSON", "move the secret into an environment file first")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
