"""Expressions and names are worth what Python says they are worth, or unknown."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extract import extract_samples as samples
from sgfleet.engine.extract.values import Unknown

PLAIN = [
    "1 + 2 * 3 - 4 // 3 % 2",
    "-3 / 2",
    "not (1 < 2 <= 2 != 3)",
    "[1, *[2, 3], 4] + list((5,))",
    "{**{'a': 1}, 'b': 2}",
    "{'b', 'a'} | {'c'}",
    "('x', 'y')[1]",
    "'abcdef'[1:5:2]",
    "'a' in ['b', 'a'] and 3 not in {1, 2}",
    "None or '' or 'last'",
    "1 and 0 or 'else'",
    "'yes' if 2 > 1 else 'no'",
    "[x * y for x in range(3) if x for y in (1, 10)]",
    "sorted({n: n % 2 for n in range(4)}.items(), key=lambda pair: (pair[1], -pair[0]))",
    "{c for c in 'abca'}",
    "next(n for n in (1, 2, 3) if n > 1)",
    "f'{3:03d}|{\"q\"!r}|{1.5}|{[1]}'",
    "'a-b_c'.replace('-', '_').upper().split('_')",
    "'--name'.lstrip('-').startswith(('na', 'x'))",
    "', '.join(sorted(set('hello')))",
    "[name.lower() for name in ('A', 'B')]",
    "dict(a=1, **{'b': 2})",
    "list(enumerate('ab', start=1)) + list(zip('ab', (1, 2)))",
    "max([3, 9, 2]) + min(4, 1) + sum((1, 2)) + len('abc') + abs(-2)",
    "any([0, '', 3]) and all([1, 'a'])",
    "list(map(str, (1, 2)))",
    "isinstance('x', (int, str)) and not isinstance(1, str) and isinstance(True, int)",
    "type(1) is int and type(None) is type(None) and type('') is not int",
    "(lambda a, b=2, *rest, c=3, **more: [a, b, rest, c, more])(1, 5, 6, d=7)",
    "[y := 5, y + 1]",
    "[*reversed([1, 2, 3])]",
    "{'a': 1}.get('b', 'none')",
    "int('8') + float('1.5')",
]


@pytest.mark.parametrize("expression", PLAIN)
def test_a_plain_expression_is_worth_what_python_says(expression: str) -> None:
    assert samples.value(expression) == eval(expression)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
        max_leaves=12,
    )
)
def test_a_literal_is_itself(literal: object) -> None:
    text = repr(literal)
    if "inf" not in text:
        assert samples.value(text) == literal


def test_known_constants() -> None:
    assert samples.value("sys.maxsize", "import sys") == sys.maxsize
    assert samples.value("SUPPRESS", "from argparse import SUPPRESS") == "==SUPPRESS=="
    assert samples.value("'on' if TYPE_CHECKING else 'off'", "from typing import TYPE_CHECKING") == "off"


@pytest.mark.parametrize(
    "expression",
    [
        "nothing_of_this_name",
        "torch.cuda.is_available()",
        "[1, 2][7]",
        "{'a': 1}['b']",
        "int('eight')",
        "1 + 'a'",
        "1 / 0",
        "'x' * 10**9",
        "2 ** 10",
        "'%1000000000d' % 1",
        "f'{1:1000000000}'",
        "'{:1000000000}'.format(1)",
        "list(range(10**9))",
        "open('/etc/passwd').read()",
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "(yield 1)",
        "len()",
        "getattr(1)",
    ],
)
def test_what_cannot_be_told_is_unknown_with_its_place(expression: str) -> None:
    value = samples.value(expression, "import torch")
    assert isinstance(value, Unknown)
    assert value.reason


def test_unknown_spreads_and_is_not_taken_for_false() -> None:
    for expression in (
        "torch.x or 'a'",
        "'a' if torch.x else 'b'",
        "[torch.x, 1] == [1, 1]",
        "torch.x is None",
        "not torch.x",
    ):
        assert isinstance(samples.value(expression, "import torch"), Unknown), expression
    assert samples.value("1 in [torch.x, 1]", "import torch") is True
    assert isinstance(samples.value("2 in [torch.x, 1]", "import torch"), Unknown)
    assert samples.value("False and torch.x", "import torch") is False


def test_names_come_from_other_modules_in_every_way() -> None:
    modules = {
        "pkg__one": "VALUE = 'one'\nfrom pkg.two import *\n_HIDDEN = 1",
        "pkg__two": "from .three import DEEP as SHARED\nHERE = SHARED + ['two']",
        "pkg__three": "DEEP = ['three']",
    }
    above = "import pkg.one\nimport pkg.two as second\nfrom pkg import three\nfrom pkg.one import *\n"
    assert samples.value("[pkg.one.VALUE, second.HERE, three.DEEP, HERE, VALUE]", above, **modules) == [
        "one", ["three", "two"], ["three"], ["three", "two"], "one",
    ]  # fmt: skip
    assert isinstance(samples.value("_HIDDEN", above, **modules), Unknown)


def test_a_name_is_read_as_it_is_at_the_end_of_its_module() -> None:
    above = """
        FIRST = ["a"]
        COPY = list(FIRST)
        SAME = FIRST
        FIRST.append("b")
        SAME.extend(["c"])
        FIRST += ["d"]
        for letter in "ef":
            FIRST.append(letter)
        if len(FIRST) > 3:
            FIRST.remove("a")
    """
    assert samples.value("FIRST", above) == ["b", "c", "d", "e", "f"]
    assert samples.value("COPY", above) in (["a"], Unknown)
    assert samples.value("[COPY, SAME]", above) == [["a"], ["b", "c", "d", "e", "f"]]


def test_a_branch_that_cannot_be_decided_leaves_the_name_unknown() -> None:
    above = """
        from vllm import on_a_gpu
        KERNELS = ["a"]
        if on_a_gpu():
            KERNELS.append("b")
        SURE = "s"
        try:
            import fast_one
            FAST = True
        except ImportError:
            FAST = False
    """
    for name in ("KERNELS", "FAST"):
        found = samples.value(name, above)
        assert isinstance(found, (Unknown, list)), name
        assert not isinstance(found, list) or any(isinstance(item, Unknown) for item in found)
    assert samples.value("SURE", above) == "s"


def test_class_bodies_have_their_scope_and_enums_their_order() -> None:
    above = """
        import enum
        from enum import Enum, auto

        class Backend:
            FULL = "full"
            NONE = "none"
            ALL = (FULL, NONE)

            @classmethod
            def names(cls):
                return [name.upper() for name in cls.ALL]

        class Mode(Enum):
            FAST = auto()
            SLOW = auto()

            @property
            def label(self):
                return self.name.lower()

        class Size(enum.IntEnum):
            BIG = 9
            SMALL = 1
    """
    assert samples.value("Backend.ALL + tuple(Backend.names())", above) == ("full", "none", "FULL", "NONE")
    assert samples.value("[m.label for m in Mode] + [m.value for m in Mode]", above) == ["fast", "slow", 1, 2]
    assert samples.value("[Size.BIG.name, Size(1).name, Size['BIG'].value]", above) == ["BIG", "SMALL", 9]


def test_functions_with_lazy_imports_loops_and_early_returns() -> None:
    above = """
        import sys
        from functools import lru_cache

        def names():
            module = sys.modules.get("heavy")
            if module is not None:
                return list(module.NAMES)
            from light import NAMES
            return [name for name in NAMES if not name.startswith("_")]

        @lru_cache(maxsize=1)
        def first(minimum):
            for name in names():
                if len(name) < minimum:
                    continue
                if name == "stop":
                    break
                return name
            else:
                return "none"
            return "stopped"

        def careful(text):
            try:
                if not text.isdigit():
                    raise ValueError(text)
                return int(text)
            except (TypeError, ValueError):
                return -1
            finally:
                pass
    """
    light = "NAMES = ('_x', 'ab', 'abc', 'stop', 'abcdef')"
    assert samples.value("[first(1), first(3), first(4), first(9)]", above, light=light) == [
        "ab",
        "abc",
        "stopped",
        "none",
    ]
    assert samples.value("[careful('12'), careful('x')]", above, light=light) == [12, -1]


def test_objects_methods_properties_and_bases() -> None:
    above = """
        class Base:
            def __init__(self, default):
                self.default = default
            def __set_name__(self, owner, name):
                self.name = name
            def get(self):
                return f"{self.name}={self.default}"

        class Loud(Base):
            def __init__(self, default, mark="!"):
                super().__init__(default)
                self.mark = mark
            def get(self):
                return super().get() + self.mark

        class Settings:
            LEVEL = Loud(3)
            QUIET = Base("q")

        settings = Settings()
    """
    assert samples.value("[settings.LEVEL.get(), settings.QUIET.get()]", above) == ["LEVEL=3!", "QUIET=q"]


def test_the_order_of_bases_is_pythons() -> None:
    class Top:
        who = "top"

    class Left(Top):
        pass

    class Right(Top):
        who = "right"

    class Bottom(Left, Right):
        pass

    above = "class T:\n  who='top'\nclass L(T): pass\nclass R(T):\n  who='right'\nclass B(L, R): pass"
    assert samples.value("B.who", above) == Bottom.who


def test_environment_variables_are_read_from_an_empty_environment() -> None:
    above = "import os\nfrom os import environ, getenv"
    assert samples.value("[os.getenv('A'), getenv('B', 'b'), environ.get('C', 'c')]", above) == [None, "b", "c"]
    assert isinstance(samples.value("os.environ['A']", above), Unknown)


def test_a_source_that_never_ends_is_given_up() -> None:
    from sgfleet.engine.extract import interpreter
    from sgfleet.engine.extract.errors import ExtractionError

    assert math.isfinite(interpreter._STEPS)
    with pytest.raises(ExtractionError, match="nest deeper"):
        samples.value("again()", "def again():\n    return again()")
