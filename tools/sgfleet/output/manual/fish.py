"""Completion for fish, with descriptions: one static script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.output.manual.grammar import Argument, Command

_HEAD: Final = r"""# Completion of sgfleet for fish, written by `sgfleet completion fish`: do not edit.

function __sgfleet_root  # the repository: --root, else the nearest folder upwards that holds hosts/ or fleet.yaml
    set -l words (commandline -opc)
    if set -l at (contains -i -- --root $words); and test $at -lt (count $words)
        printf '%s\n' $words[(math $at + 1)]
        return
    end
    set -l folder $PWD
    while test -n "$folder"; and not test -d $folder/hosts; and not test -f $folder/fleet.yaml
        set folder (string replace -r '/[^/]*$' '' -- $folder)
    end
    printf '%s\n' $folder
end

function __sgfleet_hosts
    for path in (__sgfleet_root)/hosts/*/
        string replace -r '.*/([^/]+)/$' '$1' -- $path
    end
end

function __sgfleet_services
    for path in (__sgfleet_root)/units/*/*.service
        string replace -r '.*/([^/]+/[^/]+)\.service$' '$1' -- $path
    end
end

function __sgfleet_targets
    __sgfleet_hosts
    __sgfleet_services
end

function __sgfleet_releases
    printf '%s\n' $__sgfleet_known
    for path in (__sgfleet_root)/schema/sglang/*.json
        string match -rg '.*/([0-9][^/]*)\.json$' -- $path
    end
end

function __sgfleet_words  # the words so far that are commands and operands: no options, no values of options
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if contains -- $word $__sgfleet_valued
            set skip 1
        else if not string match -q -- '-*' $word
            printf '%s\n' $word
        end
    end
end

function __sgfleet_at  # FEWEST MOST COMMAND...: at this command, with so many operands before
    contains -- -- (commandline -opc); and return 1
    set -l words (__sgfleet_words)
    set -l deep (math (count $argv) - 2)
    set -l before (math (count $words) - $deep)
    test $before -ge $argv[1] -a $before -le $argv[2]; or return 1
    test $deep -eq 0; or test "$words[1..$deep]" = "$argv[3..]"
end

complete -c sgfleet -f
"""
_MANY: Final = 9999
_LISTS: Final = {
    "target": "(__sgfleet_targets)",
    "service": "(__sgfleet_services)",
    "host": "(__sgfleet_hosts)",
    "release": "(__sgfleet_releases)",
    "folder": "(__fish_complete_directories)",
}


def as_fish(root: Command, rules: Iterable[str], releases: Iterable[str]) -> str:
    """The script. `rules` are the codes that `explain` knows, `releases` those whose flags sgfleet knows everywhere."""
    lists = {**_LISTS, "rule": " ".join(rules)}
    lines = [f"set -g __sgfleet_known {' '.join(releases)}"]
    lines += [f"set -g __sgfleet_valued {' '.join(_valued(root))}", ""]
    lines += [f"complete -c sgfleet {line}" for command in root.walk() for line in _lines(command, lists)]
    return _HEAD + "\n".join(lines) + "\n"


def _valued(root: Command) -> list[str]:
    """Options behind which one value stands, whatever the command."""
    options = [option for command in root.walk() for option in command.options]
    switches = {name for option in options if option.kind == "switch" for name in option.names}
    return sorted({name for option in options if option.kind != "switch" for name in option.names} - switches)


def _lines(command: Command, lists: dict[str, str]) -> Iterator[str]:
    for each in command.commands:
        yield f"{_at(command, 0, 0)} -a {each.words[-1]} -d {_quoted(each.summary)}"
    for option in command.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        most = 0 if command.commands else _MANY
        yield f"{_at(command, 0, most)} {names} -d {_quoted(option.help)}{_value(option, lists)}"
    for number, operand in enumerate(command.operands):
        if (offered := _offered(operand, lists)) is not None:
            yield f"{_at(command, number, _MANY if operand.many else number)} {offered}"


def _at(command: Command, fewest: int, most: int) -> str:
    return f"-n '{' '.join(('__sgfleet_at', str(fewest), str(most), *command.words))}'"


def _value(option: Argument, lists: dict[str, str]) -> str:
    if option.kind == "switch":
        return ""
    if option.kind == "file":
        return " -rF"
    offered = _offered(option, lists)
    return " -x" if offered is None else f" -x {offered}"


def _offered(argument: Argument, lists: dict[str, str]) -> str | None:
    if argument.kind == "words":
        return f"-a {_quoted(' '.join(argument.words))}"
    if argument.kind == "file":
        return "-F"
    return f"-a {_quoted(lists[argument.kind])}" if argument.kind in lists else None


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
