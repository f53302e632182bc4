"""Completion for bash: one static script. Hosts, services and releases are names of files, so the shell lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.output.manual.grammar import Argument, Command

_HEAD: Final = """\
# Completion of sgfleet for bash, written by `sgfleet completion bash`: do not edit.

_sgfleet_root() {  # the repository: --root, else the nearest folder upwards that holds hosts/ or fleet.yaml
    local folder=${1:-$PWD}
    if [[ -z $1 ]]; then
        while [[ -n $folder && ! -d $folder/hosts && ! -f $folder/fleet.yaml ]]; do folder=${folder%/*}; done
    fi
    printf '%s' "$folder"
}

_sgfleet_names() {  # KIND ROOT: the names of a kind in a repository, a line each
    local path
    case $1 in
        host | target | service)
            for path in "$2"/hosts/*/; do
                path=${path%/}
                [[ -d $path && $1 != service ]] && printf '%s\\n' "${path##*/}"
            done
            [[ $1 == host ]] && return
            for path in "$2"/units/*/*.service; do
                [[ -f $path ]] || continue
                path=${path#"$2"/units/}
                printf '%s\\n' "${path%.service}"
            done ;;
        release)
            printf '%s\\n' $_sgfleet_releases
            for path in "$2"/schema/sglang/*.json; do
                path=${path##*/}
                path=${path%.json}
                [[ $path == [0-9]* && " $_sgfleet_releases " != *" $path "* ]] && printf '%s\\n' "$path"
            done ;;
    esac
}

"""
_TAIL: Final = """\
_sgfleet() {
    local cur=${COMP_WORDS[COMP_CWORD]} at='' root='' option='' before='' word i
    local commands options operands value
    local -a seen=()
    COMPREPLY=()
    _sgfleet_at ''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -- ]]; then  # what follows is another program's
            compopt -o default 2>/dev/null
            return
        elif [[ $word == = && -n $option ]]; then  # readline takes --to=0.5.9 for three words
            [[ ${COMP_WORDS[i - 1]} == --root ]] && root=${COMP_WORDS[i + 1]:-}
        elif [[ $word == --root=* ]]; then
            root=${word#*=}
            option=''
        elif [[ $word == -?* ]]; then
            _sgfleet_value "$at" "$word"
            option=$value
            [[ $word == --root ]] && root=${COMP_WORDS[i + 1]:-}
        elif [[ -n $option ]]; then
            [[ $option == *+ ]] || option=''
        elif [[ " $commands " == *" $word "* ]]; then
            at=${at:+$at }$word
            _sgfleet_at "$at"
        else
            seen+=("$word")
        fi
    done
    if [[ $cur == = && -n $option ]]; then
        cur=''
    elif [[ -z $option && $cur == --*=* ]]; then  # one word, where COMP_WORDBREAKS has no =
        _sgfleet_value "$at" "${cur%%=*}"
        [[ -n $value ]] || return
        option=$value before=${cur%%=*}=
        cur=${cur#*=}
    fi
    local kind=$option
    if [[ -z $kind || ( $kind == *+ && $cur == -* ) ]]; then
        if [[ $cur == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
            return
        elif [[ -n $commands ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
            return
        fi
        local -a wanted
        read -ra wanted <<< "$operands"
        if ((${#seen[@]} < ${#wanted[@]})); then
            kind=${wanted[${#seen[@]}]}
        elif ((${#wanted[@]})) && [[ ${wanted[-1]} == *+ ]]; then
            kind=${wanted[-1]}
        fi
    fi
    kind=${kind%+}
    case $kind in
        '' | text) ;;
        file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
        folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
        words:*) kind=${kind#words:}; mapfile -t COMPREPLY < <(compgen -W "${kind//,/ }" -- "$cur") ;;
        rule) mapfile -t COMPREPLY < <(compgen -W "$_sgfleet_rules" -- "$cur") ;;
        *)
            # Only names that a repository may have: others, with what a shell would expand in them, are left out.
            local name
            while IFS= read -r name; do
                [[ $name == "$cur"* && $name != *[!a-zA-Z0-9_./-]* ]] && COMPREPLY+=("$name")
            done < <(_sgfleet_names "$kind" "$(_sgfleet_root "$root")") ;;
    esac
    [[ -z $before ]] || COMPREPLY=("${COMPREPLY[@]/#/$before}")
}

complete -F _sgfleet sgfleet
"""


def as_bash(root: Command, rules: Iterable[str], releases: Iterable[str]) -> str:
    """The script. `rules` are the codes that `explain` knows, `releases` those whose flags sgfleet knows everywhere."""
    return "".join(
        (
            _HEAD,
            f"_sgfleet_rules='{' '.join(rules)}'\n",
            f"_sgfleet_releases='{' '.join(releases)}'\n\n",
            "_sgfleet_at() {  # COMMAND: what may stand there\n",
            "    commands='' options='' operands=''\n    case $1 in\n",
            *(f"        {line}\n" for line in _places(root)),
            "    esac\n}\n\n",
            "_sgfleet_value() {  # COMMAND OPTION: the kind of its value, with + where several may follow each other\n",
            "    value=''\n    case \"$1 $2\" in\n",
            *(f"        {line}\n" for line in _values(root)),
            "    esac\n}\n\n",
            _TAIL,
        )
    )


def _places(root: Command) -> Iterator[str]:
    for command in root.walk():
        parts = []
        if command.commands:
            parts.append(f"commands='{' '.join(each.words[-1] for each in command.commands)}'")
        parts.append(f"options='{' '.join(name for each in command.options for name in each.names)}'")
        if command.operands:
            parts.append(f"operands='{' '.join(map(_kind, command.operands))}'")
        yield f"'{' '.join(command.words)}') {' '.join(parts)} ;;"


def _values(root: Command) -> Iterator[str]:
    for command in root.walk():
        for option in command.options:
            if option.kind != "switch":
                calls = " | ".join(f"'{' '.join((*command.words, name))}'" for name in option.names)
                yield f"{calls}) value='{_kind(option)}' ;;"


def _kind(argument: Argument) -> str:
    kind = f"words:{','.join(argument.words)}" if argument.kind == "words" else argument.kind
    return kind + "+" * argument.many
