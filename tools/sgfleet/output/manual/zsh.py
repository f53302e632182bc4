"""Completion for zsh, with descriptions: one static script in the way of its own completion system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.output.manual.grammar import Argument, Command

_HEAD: Final = """\
#compdef sgfleet
# Completion of sgfleet for zsh, written by `sgfleet completion zsh`: do not edit.

_sgfleet_root() {  # the repository: --root, else the nearest folder upwards that holds hosts/ or fleet.yaml
    local folder=$PWD
    integer at=${words[(I)--root]}
    if (( at && at < CURRENT - 1 )); then
        folder=${(Q)words[at + 1]}
    else
        while [[ -n $folder && ! -d $folder/hosts && ! -f $folder/fleet.yaml ]]; do folder=${folder%/*}; done
    fi
    REPLY=$folder
}

_sgfleet_hosts() {
    local REPLY; _sgfleet_root
    local -a names=($REPLY/hosts/*(N/:t))
    compadd -a names
}

_sgfleet_services() {
    local REPLY; _sgfleet_root
    local -a names=($REPLY/units/*/*.service(N.:r))
    names=(${names#$REPLY/units/})
    compadd -a names
}

_sgfleet_targets() {
    _sgfleet_hosts
    _sgfleet_services
}

_sgfleet_releases() {
    local REPLY; _sgfleet_root
    local -a names=($_sgfleet_known $REPLY/schema/sglang/<->*.json(N.:t:r))
    compadd -a names
}

"""
_ACTIONS: Final = {
    "target": "_sgfleet_targets",
    "service": "_sgfleet_services",
    "host": "_sgfleet_hosts",
    "release": "_sgfleet_releases",
    "rule": "_sgfleet_rules",
    "file": "_files",
    "folder": "_files -/",
    "text": "",
}


def as_zsh(root: Command, rules: Iterable[str], releases: Iterable[str]) -> str:
    """The script. `rules` are the codes that `explain` knows, `releases` those whose flags sgfleet knows everywhere."""
    return "".join(
        (
            _HEAD,
            f"typeset -ga _sgfleet_known=({' '.join(releases)})\n\n",
            f"_sgfleet_rules() {{\n    compadd {' '.join(rules)}\n}}\n\n",
            *(f"{function}\n" for function in _functions(root)),
            # As an autoloaded function the file is the completion; sourced, it announces it.
            'if [[ $funcstack[1] == _sgfleet ]]; then\n    _sgfleet_of "$@"\n',
            "else\n    compdef _sgfleet_of sgfleet\nfi\n",
        )
    )


def _function(words: tuple[str, ...]) -> str:
    return "_".join(("_sgfleet_of", *words)).replace("-", "_")


def _functions(root: Command) -> Iterator[str]:
    for command in root.walk():
        lines = [f"{_function(command.words)}() {{"]
        specs = [*map(_option, command.options), *_operands(command)]
        if command.commands:
            lines.append("    local context state state_descr line\n    typeset -A opt_args")
            specs += ["'1: :->command'", "'*:: :->rest'"]
        lines.append("    _arguments -s -S \\\n        " + " \\\n        ".join(specs))
        if command.commands:
            lines += _dispatch(command)
        lines.append("}\n")
        yield "\n".join(lines)


def _dispatch(command: Command) -> Iterator[str]:
    yield "    case $state in"
    yield "        command)"
    yield "            local -a commands=("
    for each in command.commands:
        yield f"                {_quoted(f'{each.words[-1]}:{each.summary}')}"
    yield "            )"
    yield "            _describe command commands ;;"
    yield "        rest)"
    yield "            case $line[1] in"
    for each in command.commands:
        yield f"                {each.words[-1]}) {_function(each.words)} ;;"
    yield "            esac ;;"
    yield "    esac"


def _option(argument: Argument) -> str:
    one_value = argument.kind != "switch" and not argument.many
    own = tuple(f"{name}=" if one_value and name.startswith("--") else name for name in argument.names)
    exclusive = "*" if argument.repeats else f"({' '.join(argument.names)})" if len(argument.names) > 1 else ""
    names = f"'{{{','.join(own)}}}'" if len(own) > 1 else own[0]
    value = "" if argument.kind == "switch" else f":{_escaped(argument.metavar)}:{_action(argument)}"
    if argument.many:  # every value until the next option
        value = f":*-*{value}"
    return f"'{exclusive}{names}[{_inner(argument.help)}]{value}'"


def _operands(command: Command) -> Iterator[str]:
    for number, argument in enumerate(command.operands, start=1):
        place = "*" if argument.many else str(number)
        yield f"'{place}:{_escaped(argument.metavar)}:{_action(argument)}'"


def _action(argument: Argument) -> str:
    return f"({' '.join(argument.words)})" if argument.kind == "words" else _ACTIONS[argument.kind]


def _escaped(text: str) -> str:
    return text.replace("'", r"'\''").replace(":", r"\:")


def _inner(text: str) -> str:
    return _escaped(text).replace("[", r"\[").replace("]", r"\]")


def _quoted(text: str) -> str:
    name, _, summary = text.partition(":")
    return "'" + name + ":" + _escaped(summary) + "'"
