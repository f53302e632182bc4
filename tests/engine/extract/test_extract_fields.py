"""Flags that are derived from annotated fields: of a dataclass, and of namespaces."""

from __future__ import annotations

import pytest

from engine.extract import extract_samples as samples
from sgfleet.engine.extract.errors import ExtractionError
from sgfleet.engine.flag import Flag

DECLARED = """
model_path: A[str, Arg(help="h", aliases=["--model"])]
host: A[str, "the address", NS("serving")] = "127.0.0.1"
port: "A[int, 'as a string']" = 30000
context_length: A[Optional[int], "may be none"] = None
share: A[float | None, "a union"] = 0.5
quiet: A[bool, "a switch"] = False
tp_size: A[int, Arg(cli_name="--tensor-parallel-size", aliases=["--tp-size"])] = 1
dtype: A[Literal["auto", "half"], "literal"] = "auto"
level: A[Literal[None, "low", "high"], "none comes first"] = None
number: A[Optional[Literal[1, 2]], "literal of numbers"] = 1
sizes: A[Optional[List[int]], "a list"] = None
names: A[list[str], Arg(nargs="*")] = dataclasses.field(default_factory=list)
pairs: A[Optional[List[List[int]]], Arg(type_parser=json.loads)] = None
kernel: A[str, Arg(choices=KERNELS)] = "b"
folder: A[Optional[str], Arg(nargs="?", const="")] = None
strict: A[Optional[bool], Arg(action=argparse.BooleanOptionalAction)] = None
paths: A[Optional[list], Arg(action="append", action_kwargs={"type": str})] = None
hidden: A[int, Arg(no_cli=True)] = 3
internal: int = 4
shared: ClassVar[dict] = {}
later: A[str, "declared twice"] = "first"
last: A[bool, "the last one"] = False
later: A[int, "declared again"] = 7
"""


def test_every_kind_of_field() -> None:
    found = samples.fields(DECLARED, above="KERNELS = ['a', 'b']")
    assert [one.flag for one in found.flags] == [
        Flag(("--model-path", "--model"), "model_path", type="str", required=True),
        Flag(("--host",), "host", type="str", default="127.0.0.1"),
        Flag(("--port",), "port", type="int", default=30000),
        Flag(("--context-length",), "context_length", type="int"),
        Flag(("--share",), "share", type="float", default=0.5),
        Flag(("--quiet",), "quiet", action="store_true", nargs=0, const=True, default=False),
        Flag(("--tensor-parallel-size", "--tp-size"), "tp_size", type="int", default=1),
        Flag(("--dtype",), "dtype", type="str", choices=("auto", "half"), default="auto"),
        Flag(("--level",), "level", type="str", choices=(None, "low", "high")),
        Flag(("--number",), "number", type="int", choices=(1, 2), default=1),
        Flag(("--sizes",), "sizes", type="int", nargs="+"),
        Flag(("--names",), "names", type="str", nargs="*", default=[]),
        Flag(("--pairs",), "pairs", type="json.loads"),
        Flag(("--kernel",), "kernel", type="str", choices=("a", "b"), default="b"),
        Flag(("--folder",), "folder", type="str", nargs="?", const=""),
        Flag(("--strict", "--no-strict"), "strict", action="BooleanOptionalAction", nargs=0),
        Flag(("--paths",), "paths", action="append", type="str"),
        Flag(("--later",), "later", type="int", default=7),
        Flag(("--last",), "last", action="store_true", nargs=0, const=True, default=False),
    ]


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("A[str, Arg(choices=thirdparty.names())] = 'a'", "thirdparty"),
        ("A[str, Arg(type_parser=thirdparty.parse)] = 'a'", "thirdparty"),
        ("A[str, Arg(action=thirdparty.Action)] = 'a'", "thirdparty"),
        ("A[thirdparty.Kind, 'help'] = 'a'", "thirdparty"),
        ("A[str, 'help'] = thirdparty.DEFAULT", "thirdparty"),
        ("A[str, Arg(no_cli=thirdparty.on_hip())] = 'a'", "thirdparty"),
    ],
)
def test_a_field_that_cannot_be_told_is_opaque_and_its_neighbours_are_not(declared: str, reason: str) -> None:
    found = samples.fields(f"before: A[int, 'b'] = 1\none: {declared}\nafter: A[int, 'a'] = 2\n", "import thirdparty")
    assert [one.flag.name for one in found.flags] == ["before", "one", "after"]
    assert reason in samples.why(found, "one")
    assert not samples.why(found, "before")
    assert samples.flag(found, "after") == Flag(("--after",), "after", type="int", default=2)


def test_fields_are_inherited_in_the_order_of_dataclasses() -> None:
    above = "@dataclasses.dataclass\nclass Base:\n    a: A[int, 'a'] = 1\n    b: A[int, 'b'] = 2\n"
    found = samples.fields("c: A[int, 'c'] = 3\na: A[str, 'again'] = 'x'\n", above)
    assert [one.flag.name for one in found.flags] == ["c", "a"]
    text = "class ServerArgs(Base):"
    inherited = samples.release(
        "import argparse, dataclasses\nfrom sglang.srt.arg_utils import A, Arg, declare\n"
        + above
        + f"@dataclasses.dataclass\n{text}\n    c: A[int, 'c'] = 3\n    a: A[str, 'again'] = 'x'\n"
        "    @staticmethod\n    def add_cli_args(parser):\n        declare(parser, ServerArgs)\n",
        arg_utils=samples.DERIVE,
    )
    assert [(one.flag.name, one.flag.default) for one in inherited.flags] == [("a", "x"), ("b", 2), ("c", 3)]


COLLECT = """
    from typing import get_type_hints
    import msgspec
    from sglang.srt.order import FIRST

    def collect(sources):
        annotations, defaults = {}, {}
        for source in sources:
            hints = get_type_hints(source, include_extras=True)
            for field in msgspec.structs.fields(source):
                if field.name in annotations:
                    raise ValueError(f"{field.name} twice")
                annotations[field.name] = hints[field.name]
                if field.default is not msgspec.NODEFAULT:
                    defaults[field.name] = field.default
                elif field.default_factory is not msgspec.NODEFAULT:
                    defaults[field.name] = msgspec.field(default_factory=field.default_factory)
        ordered = [name for name in FIRST if name in annotations]
        ordered += [name for name in annotations if name not in set(FIRST)]
        return {name: annotations[name] for name in ordered}, {n: defaults[n] for n in ordered if n in defaults}
"""

NAMESPACES = """
    import argparse
    import msgspec
    from sglang.srt.arg_utils import declare
    from sglang.srt.collect import collect
    from sglang.srt.fields.memory import Memory
    from sglang.srt.fields.model import Model

    class ServerArgs:
        @staticmethod
        def add_cli_args(parser):
            declare(parser, ServerArgs)
            parser.add_argument("--by-hand", type=str, default=_default("eviction"))

    _annotations, _defaults = collect([Model, Memory])
    ServerArgs.__annotations__ = {**_annotations, **ServerArgs.__annotations__}
    ServerArgs = msgspec.defstruct(
        "ServerArgs",
        [(n, a, _defaults[n]) if n in _defaults else (n, a) for n, a in ServerArgs.__annotations__.items()],
        namespace={k: v for k, v in vars(ServerArgs).items() if k not in ("__dict__", "__annotations__")},
        dict=True,
    )

    def _default(name):
        return next(field.default for field in msgspec.structs.fields(ServerArgs) if field.name == name)
"""

MODEL = """
    from __future__ import annotations
    import msgspec
    from typing import List, Optional
    from sglang.srt.arg_utils import A, Arg

    class Model(msgspec.Struct):
        _PATH = "model"
        model_path: A[str, Arg(aliases=["--model"])]
        prefixes: A[Optional[List[str]], Arg(nargs="*")] = []
"""

MEMORY = """
    from __future__ import annotations
    import msgspec
    from sglang.srt.arg_utils import A, Arg

    KINDS = ["lru", "lfu"]

    class Memory(msgspec.Struct):
        eviction: A[str, Arg(choices=KINDS)] = "lru"
        ratio: A[float | None, "r"] = None
"""


def namespaces(memory: str = MEMORY, first: str = "('ratio', 'model_path')") -> samples.Extraction:
    return samples.release(
        NAMESPACES,
        arg_utils=samples.DERIVE,
        collect=COLLECT,
        order=f"FIRST = {first}",
        fields__model=MODEL,
        fields__memory=memory,
    )


def test_namespaces_are_collected_in_the_order_that_is_laid_down() -> None:
    assert [one.flag for one in namespaces().flags] == [
        Flag(("--ratio",), "ratio", type="float"),
        Flag(("--model-path", "--model"), "model_path", type="str", required=True),
        Flag(("--prefixes",), "prefixes", type="str", nargs="*", default=[]),
        Flag(("--eviction",), "eviction", type="str", choices=("lru", "lfu"), default="lru"),
        Flag(("--by-hand",), "by_hand", type="str", default="lru"),
    ]


def test_a_field_in_two_namespaces_ends_the_extraction() -> None:
    with pytest.raises(ExtractionError, match=r"ServerArgs cannot be read|exception") as caught:
        namespaces(MEMORY.replace("ratio:", "model_path:"))
    assert caught.value.module


def test_a_namespace_that_descends_from_what_is_not_known_is_refused() -> None:
    with pytest.raises(ExtractionError):
        namespaces(MEMORY.replace("class Memory(msgspec.Struct)", "class Memory(thirdparty.Struct)"))
