"""The part of a shell's language that people start servers with: quotes, variables, one command after another.

What a service cannot do (a loop, a substitution, a condition) is refused, never guessed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from sgfleet.adopt.start import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OPERATORS: Final = ("&&", "||", ";;", ";", "|&", "|", "&>>", "&>", "&", "\n", "(", ")")
_REDIRECTION: Final = re.compile(r"[0-9]*(?:>>|>\||>&|<<<|<<|<&|<>|>|<)-?")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?-)([^}$`\\\"']*))?\}")
_KEYWORDS: Final = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "function",
        "select",
        "{",
        "}",
        "!",
        "[[",
        "coproc",
    ]
)


class Statement(NamedTuple):
    """One command: its words, the assignments before them, and the operator behind it. `redirected`: has a `>`."""

    words: list[str]
    assignments: dict[str, str]
    operator: str
    redirected: bool


class Script:
    """Reads statement by statement, so that a variable that one sets is known in the next.

    `variables` may be changed between statements. Variables that are not in it stay `${NAME}` and come into
    `references`.
    """

    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        self._text = text.replace("\\\r\n", "").replace("\\\n", "").replace("\r\n", "\n")
        self._at = 0
        self.variables = variables
        self.references: set[str] = set()

    def __iter__(self) -> Iterator[Statement]:
        """The statements that have words or assignments.

        Raises:
            Refused: something that only a shell can do.
        """
        while self._at < len(self._text):
            found = self._statement()
            if found.words or found.assignments:
                yield found

    def _statement(self) -> Statement:
        words: list[str] = []
        assignments: dict[str, str] = {}
        redirected = False
        while True:
            self._skip_blanks()
            if self._at >= len(self._text):
                return Statement(words, assignments, "", redirected)
            operator = next((each for each in _OPERATORS if self._text.startswith(each, self._at)), None)
            if operator in ("(", ")", ";;"):
                raise Refused(f"a subshell, {operator!r}, which no service has", "give the command line itself")
            if operator is not None:
                self._at += len(operator)
                if operator.startswith("&>"):
                    self._skip_blanks()
                    self._word()
                    redirected = True
                    continue
                return Statement(words, assignments, operator, redirected)
            if found := _REDIRECTION.match(self._text, self._at):
                if found[0].startswith("<<"):
                    raise Refused("a here document, which no service has", "give the command line itself")
                self._at = found.end()
                self._skip_blanks()
                self._word()
                redirected = True
                continue
            begins = _NAME.match(self._text, self._at)
            assigned = not words and begins is not None and self._text.startswith("=", begins.end())
            made = self._word()
            if assigned and begins is not None:
                assignments[begins[0]] = " ".join(made).partition("=")[2]
            else:
                if not words and made and made[0] in _KEYWORDS:
                    raise Refused(f"the shell's {made[0]!r}, which no service has", "give the command line itself")
                words += made

    def _skip_blanks(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1
        if self._text.startswith("#", self._at):
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end

    def _word(self) -> list[str]:
        """The word that begins here: none or several where a variable without quotes holds blanks."""
        made: list[str] = []
        word, there, quote = "", False, ""
        while self._at < len(self._text):
            character = self._text[self._at]
            if not quote and (character in " \t\n;&|()<>"):
                break
            self._at += 1
            if character == quote:
                quote = ""
            elif quote == "'":
                word += character
            elif character in "'\"" and not quote:
                quote, there = character, True
            elif character == "\\":
                following = self._text[self._at : self._at + 1]
                word += following if not quote or following in '$`"\\' else f"\\{following}"
                self._at += 1
            elif character == "`":
                raise Refused("a command in backquotes, whose output is not known here", "write what it prints")
            elif character == "$":
                value = self._variable(quoted=bool(quote))
                first, *rest = re.split(r"[ \t\n]+", value) if not quote else [value]
                word += first
                for each in rest:
                    made += [word] if word or there else []
                    word, there = each, False
            else:
                word += character
        if quote:
            raise Refused(f"a quote {quote} is not closed")
        return [*made, word] if word or there else made

    def _variable(self, *, quoted: bool) -> str:
        if self._text.startswith("(", self._at):
            raise Refused("a command in $( ), whose output is not known here", "write what it prints")
        if self._text.startswith("'", self._at) and not quoted:
            raise Refused("a text in $' ', which is not read here", "write it in plain quotes")
        found = _BRACED.match(self._text, self._at) or _NAME.match(self._text, self._at)
        if found is None:
            if self._text[self._at : self._at + 1] in ("", " ", "\n", '"', "'"):
                return "$"
            raise Refused("a $ with more than a variable's name behind it", "write the value")
        self._at = found.end()
        name = found[1] if found.re is _BRACED else found[0]
        if name in self.variables:
            return self.variables[name]
        if found.re is _BRACED and found[2] is not None:
            return found[3]
        self.references.add(name)
        return f"${{{name}}}"
