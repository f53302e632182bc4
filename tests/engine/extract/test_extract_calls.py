"""Flags that are declared by calls of add_argument."""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import pytest

from engine.extract import extract_samples as samples
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.flag import SUPPRESSED, Deprecation, Flag


def test_a_flag_as_it_is_declared() -> None:
    found = samples.calls(
        """
        choices = list(Parsers.KINDS.keys())
        parser.add_argument("--model-path", "--model", type=str, required=True, help="x")
        parser.add_argument("--port", type=int, default=ServerArgs.port)
        parser.add_argument("--kind", type=str, choices=["auto"] + choices, default=ServerArgs.kind)
        parser.add_argument("--names", type=str, nargs="*", default=argparse.SUPPRESS, dest="name_list")
        parser.add_argument("--share", type=float, nargs="?", const=0.5, metavar="PART")
        parser.add_argument("--quiet", action="store_true")
        parser.add_argument("--limit", type=int, default=sys.maxsize)
        """,
        above="""
        from sglang.srt.parsers import *
        @dataclasses.dataclass
        class ServerArgs:
            port: int = 30000
            kind: str = "auto"
        """,
        parsers="class Parsers:\n    KINDS = {'b': 1, 'a': 2}",
    )
    assert [one.flag for one in found.flags] == [
        Flag(("--model-path", "--model"), "model_path", type="str", required=True),
        Flag(("--port",), "port", type="int", default=30000),
        Flag(("--kind",), "kind", type="str", choices=("auto", "b", "a"), default="auto"),
        Flag(("--names",), "name_list", type="str", nargs="*", default=SUPPRESSED),
        Flag(("--share",), "share", type="float", nargs="?", const=0.5, metavar="PART"),
        Flag(("--quiet",), "quiet", action="store_true", nargs=0, const=True, default=False),
        Flag(("--limit",), "limit", type="int", default=2**63 - 1),
    ]
    assert found.modules == ("sglang.srt.parsers", "sglang.srt.server_args")


GRID = {
    "action": [
        None,
        "store",
        "store_true",
        "store_false",
        "store_const",
        "append",
        "count",
        argparse.BooleanOptionalAction,
    ],
    "default": [None, 3, "given"],
    "names": [("--a-b",), ("--a-b", "--other")],
    "dest": [None, "elsewhere"],
}


@pytest.mark.parametrize("action", GRID["action"], ids=str)
def test_every_action_of_argparse_has_the_attributes_that_argparse_gives_it(action: Any) -> None:
    for default, names, dest in itertools.product(GRID["default"], GRID["names"], GRID["dest"]):
        given: dict[str, Any] = {}
        if action is not None:
            given["action"] = action
        if default is not None:
            given["default"] = default
        if dest is not None:
            given["dest"] = dest
        if action == "store_const":
            given["const"] = 7
        real = argparse.ArgumentParser().add_argument(*names, **given)
        written = [repr(name) for name in names]
        written += [
            f"{key}={'argparse.BooleanOptionalAction' if value is argparse.BooleanOptionalAction else repr(value)}"
            for key, value in given.items()
        ]
        read = samples.flag(samples.calls(f"parser.add_argument({', '.join(written)})"), "a-b")
        assert read.options == tuple(real.option_strings)
        assert (read.dest, read.nargs, read.const, read.default, read.required) == (
            real.dest, real.nargs, real.const, real.default, real.required,
        )  # fmt: skip
        word = {None: "store", argparse.BooleanOptionalAction: "BooleanOptionalAction"}.get(action, action)
        assert read.action == word


def test_a_set_of_choices_has_a_fixed_order() -> None:
    found = samples.calls("parser.add_argument('--s', choices=CHOICES)", "CHOICES = {'c', 'a', 'b'}")
    assert samples.flag(found, "s").choices == ("a", "b", "c")


def test_groups_belong_to_the_parser_and_exclusion_is_not_known() -> None:
    found = samples.calls(
        """
        group = parser.add_argument_group("g")
        group.add_argument("--in-group", type=int)
        either = group.add_mutually_exclusive_group()
        either.add_argument("--either", type=int)
        """
    )
    assert not samples.why(found, "in-group")
    assert "exclude each other" in samples.why(found, "either")


ACTIONS = '''
    def say(text):
        logger.warning(text)

    class DeprecatedAction(argparse.Action):
        """Words that do not count."""
        def __init__(self, option_strings, dest, nargs=0, **kwargs):
            super(DeprecatedAction, self).__init__(option_strings, dest, nargs=nargs, **kwargs)
        def __call__(self, parser, namespace, values, option_string=None):
            raise ValueError(self.help)

    class DeprecatedStoreTrueAction(argparse.Action):
        def __init__(self, option_strings, dest, new_flag=None, nargs=0, const=True, default=False, **kwargs):
            self.new_flag = new_flag
            super().__init__(option_strings, dest, nargs=nargs, const=const, default=default, **kwargs)
        def __call__(self, parser, namespace, values, option_string=None):
            hint = f"better: {self.new_flag}" if self.new_flag else ""
            say(f"{option_string} will go. {hint}")
            setattr(namespace, self.dest, True)
'''


def test_deprecated_actions_by_what_their_code_does() -> None:
    found = samples.calls(
        """
        parser.add_argument("--dead", action=DeprecatedAction, help="use --port instead")
        parser.add_argument("--old", action=DeprecatedStoreTrueAction, dest="fresh", new_flag="--fresh")
        parser.add_argument("--still", action=DeprecatedStoreTrueAction)
        parser.add_argument("--worded", action="store_true", help="[Deprecated] Use --port=1 for this.")
        """,
        above="import logging\nlogger = logging.getLogger(__name__)\n" + samples.textwrap.dedent(ACTIONS),
    )
    assert [(one.flag.deprecation, one.flag.nargs, one.flag.opaque) for one in found.flags] == [
        (Deprecation("rejects", "--port"), 0, False),
        (Deprecation("alias", "--fresh"), 0, False),
        (Deprecation("warns", None), 0, False),
        (Deprecation("help", "--port=1"), 0, False),
    ]


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("raise ValueError(self.help)", "raise SystemExit(self.help)"),
        ("raise ValueError(self.help)", "setattr(namespace, self.dest, values)"),
    ],
)
def test_an_action_whose_code_does_something_else_is_not_known(change: str, to: str) -> None:
    found = samples.calls("parser.add_argument('--dead', action=DeprecatedAction)", ACTIONS.replace(change, to))
    assert "is not known here" in samples.why(found, "dead")
    assert samples.flag(found, "dead").action == "DeprecatedAction"


def test_a_deprecated_action_that_only_talks_has_no_effect() -> None:
    silent = ACTIONS.replace("raise ValueError(self.help)", "say(self.help)")
    above = "import logging\nlogger = logging.getLogger()\n" + samples.textwrap.dedent(silent)
    found = samples.calls("parser.add_argument('--dead', action=DeprecatedAction)", above)
    assert samples.flag(found, "dead").deprecation == Deprecation("ignored", None)


def test_a_helper_that_does_more_than_talk_makes_the_action_unknown() -> None:
    above = "import logging, os\nlogger = logging.getLogger()\n" + samples.textwrap.dedent(ACTIONS)
    declared = "parser.add_argument('--old', action=DeprecatedStoreTrueAction)"
    assert not samples.why(samples.calls(declared, above), "old")
    worse = above.replace("logger.warning(text)", "logger.warning(text)\n    os._exit(2)")
    assert "is not known here" in samples.why(samples.calls(declared, worse), "old")


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("type=tune", "type function tune"),
        ("type=lambda text: text", "<lambda>"),
        ("type=pathlib.Path", "pathlib.Path"),
        ("type=nothing", "no name 'nothing'"),
        ("action=Own", "action Own"),
        ("action='parse'", "parse is not known"),
        ("action=thirdparty.Action", "thirdparty.Action"),
        ("choices=thirdparty.names()", "thirdparty.names"),
        ("choices=[thirdparty.NAME, 'a'] + thirdparty.more", "thirdparty"),
        ("choices=list(Level)", "no plain data"),
        ("default=thirdparty.DEFAULT", "default is no plain data"),
        ("nargs=thirdparty.N", "nargs is no plain data"),
        ("const=object()", "const is no plain data"),
        ("**thirdparty.options()", "thirdparty.options"),
        ("dest=thirdparty.where()", "thirdparty.where"),
        ("invented=3", "takes no invented"),
    ],
)
def test_what_is_not_known_makes_the_flag_opaque(declared: str, reason: str) -> None:
    above = """
        import enum, pathlib, thirdparty
        def tune(text):
            return text.title()
        class Own(argparse.Action):
            def __call__(self, parser, namespace, values, option_string=None):
                setattr(namespace, self.dest, values * 2)
        class Level(enum.Enum):
            LOW = 1
    """
    found = samples.calls(f"parser.add_argument('--one', {declared})\nparser.add_argument('--two', type=int)", above)
    assert reason in samples.why(found, "one")
    assert not samples.why(found, "two")


def test_a_flag_that_depends_on_the_machine_is_opaque() -> None:
    found = samples.calls(
        """
        if thirdparty.on_hip():
            parser.add_argument("--perhaps", type=int)
        else:
            parser.add_argument("--perhaps", type=float)
        thirdparty.flag and parser.add_argument("--with-and", type=int)
        kernels = ["a"]
        if thirdparty.on_hip():
            kernels.append("b")
        parser.add_argument("--kernel", choices=kernels)
        parser.add_argument("--sure", type=int)
        """,
        "import thirdparty",
    )
    assert [one.flag.name for one in found.flags] == ["perhaps", "with-and", "kernel", "sure"]
    for name in ("perhaps", "with-and", "kernel"):
        assert "thirdparty" in samples.why(found, name)
    assert not samples.why(found, "sure")


def test_what_is_declared_after_a_way_out_that_may_be_taken_is_opaque() -> None:
    found = samples.calls(
        """
        parser.add_argument("--before", type=int)
        if thirdparty.on_hip():
            return
        parser.add_argument("--after", type=int)
        """,
        "import thirdparty",
    )
    assert not samples.why(found, "before")
    assert "thirdparty" in samples.why(found, "after")


def test_an_environment_variable_that_adds_a_choice_is_told_apart() -> None:
    above = """
        import os
        from sglang.srt.environment import truthy
        CHOICES = {"b", "a"}
        if truthy("SGLANG_MORE"):
            CHOICES.add("c")
    """
    environment = """
        import os
        def truthy(name, default="false"):
            return os.getenv(name, default).lower() in ("true", "1")
    """
    found = samples.calls("parser.add_argument('--k', choices=CHOICES)", above, environment=environment)
    assert samples.flag(found, "k").choices == ("a", "b")
    assert found.environment == {"SGLANG_MORE": {"k": ("c",)}}


def test_what_an_environment_variable_changes_otherwise_is_opaque() -> None:
    found = samples.calls(
        """
        parser.add_argument("--always", type=int, default=1)
        parser.add_argument("--level", default=os.getenv("SGLANG_LEVEL", "info"))
        if os.getenv("SGLANG_MORE"):
            parser.add_argument("--more")
        else:
            parser.add_argument("--less")
        names = ["--name", "--alias"] if os.getenv("SGLANG_ALIAS") else ["--name"]
        parser.add_argument(*names)
        """,
        "import os",
    )
    assert [one.flag.name for one in found.flags] == ["always", "level", "less", "name", "more"]
    assert not samples.why(found, "always")
    assert samples.why(found, "level") == "depends on SGLANG_LEVEL"
    assert samples.why(found, "less") == "not there when SGLANG_MORE is set"
    assert samples.why(found, "name") == "not there when SGLANG_ALIAS is set"
    assert samples.why(found, "more") == "only there when SGLANG_MORE is set"
    assert found.environment == {}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("parser.add_argument('-p', '--port')", "short options"),
        ("parser.add_argument('model')", "positionals"),
        ("parser.add_argument(thirdparty.name())", "names of a flag cannot be read"),
        ("for name in thirdparty.names():\n    parser.add_argument(name)", "names of a flag cannot be read"),
        ("[parser.add_argument(name) for name in thirdparty.names()]", "names of a flag cannot be read"),
        ("parser.add_argument('--a')\nparser.add_argument('--a')", "declared twice"),
        ("thirdparty.declare(parser)", "handed to something that cannot be followed"),
        ("thirdparty.partial(parser.add_argument)('--a')", "handed to something that cannot be followed"),
        ("parser = thirdparty.wrap()\nparser.add_argument('--a')", "declared on what is not known"),
        (
            "match 1:\n    case 1:\n        parser.add_argument('--a')\nparser.add_argument('--b')",
            "on what is not known",
        ),
        ("parser.set_defaults(a=1)", "set_defaults"),
        ("parser.register('type', 'x', int)", "register"),
        ("parser.allow_abbrev = False", "allow_abbrev is set"),
        ("raise RuntimeError('no')", "ends in an exception"),
        ("pass", "declares no flag"),
    ],
)
def test_a_release_that_is_not_understood_is_an_error_with_its_place(body: str, message: str) -> None:
    with pytest.raises(ExtractionError, match=message) as caught:
        samples.calls(body, "import thirdparty")
    assert caught.value.module == samples.SERVER_ARGS
    assert caught.value.line


@pytest.mark.parametrize(
    ("instead", "message"),
    [
        ("argparse.ArgumentParser(allow_abbrev=False)", "allow_abbrev"),
        ("argparse.ArgumentParser(fromfile_prefix_chars='@')", "fromfile_prefix_chars"),
        ("OwnArgumentParser()", "OwnArgumentParser"),
    ],
)
def test_a_parser_with_other_ways_is_refused(instead: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "PREPARE", samples.PREPARE.replace("argparse.ArgumentParser()", instead))
    with pytest.raises(ExtractionError, match=message):
        samples.calls("parser.add_argument('--a')")


def test_a_launcher_that_lets_unknown_arguments_pass_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "PREPARE", samples.PREPARE.replace("parse_args(argv)", "parse_known_args(argv)"))
    with pytest.raises(ExtractionError, match="parse_known_args"):
        samples.calls("parser.add_argument('--a')")


def test_source_that_is_no_python_is_an_error_with_its_line() -> None:
    with pytest.raises(ExtractionError) as caught:
        samples.calls(
            "parser.add_argument('--a')\nparser.add_argument('--b', choices=NAMES)",
            "from sglang.srt.b import NAMES",
            b="NAMES = [\n1 2\n]",
        )
    assert (caught.value.module, caught.value.line) == ("sglang.srt.b", 2)


def test_the_action_that_add_argument_returns_can_be_changed() -> None:
    found = samples.calls("action = parser.add_argument('--a', choices=['x'])\naction.choices = ['y', 'z']")
    assert samples.flag(found, "a").choices == ("y", "z")


def test_what_from_cli_args_renames() -> None:
    found = samples.calls(
        "parser.add_argument('--tensor-parallel-size', '--tp-size', type=int, default=1)",
        """
        class ServerArgs:
            @classmethod
            def from_cli_args(cls, args):
                args.tp_size = args.tensor_parallel_size
                return cls()
        """,
    )
    assert found.renamed == {"tensor_parallel_size": "tp_size"}
