"""Every command's real JSON answer is what its schema in schema/output/ says, and every such command has one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from observe.eras import ERAS, log
from sgfleet.cli.grammar import grammar
from support.repository import git

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SCHEMAS = {path.name.removesuffix(".schema.json"): path for path in (ROOT / "schema/output").glob("*.json")}

CALLS = [
    ("check", ("check",)),
    ("check", ("render", "--check")),
    ("memory", ("memory",)),
    ("memory", ("memory", "kimi-01", "--set", "hicache-ratio=2", "--release", "0.5.23")),
    ("memory", ("memory", "unknown-01")),
    ("options", ("options",)),
    ("options", ("options", "unknown-01")),
    ("plan", ("plan", "HEAD")),
    ("plan", ("plan", "HEAD..HEAD")),
    ("argv", ("argv", "0.5.9", "--", "--model-path", "m", "--tp", "8")),
    ("argv", ("argv", "0.5.9", "--all", "--", "--model-path", "m")),
    ("argv", ("argv", "0.5.9", "--", "--nothing")),
    ("facts", ("facts", "--host", "kimi-01", "--stdout")),
    ("explain", ("explain", "--all")),
    ("show", ("show",)),
    ("schema-list", ("schema", "list")),
    ("schema-diff", ("schema", "diff", "0.5.9", "0.5.23")),
    ("schema-add", ("schema", "add", "--rewrite")),
    ("model-list", ("model", "list")),
    ("model-show", ("model", "show", "Qwen/Qwen3-8B", "--tp", "2")),
    ("model-add", ("model", "add", "config.json", "--name", "org/name")),
    ("accuracy", ("accuracy", "logs.jsonl")),
    ("observe", ("observe", "kimi-01/sglang-kimi", "--log", "server.log", "--release", "0.5.9")),
]
"""Name of the schema, and a call whose answer it describes."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped hosts, one more whose model nobody knows, and files that commands read."""
    root = tmp_path_factory.mktemp("repository")
    shutil.copytree(ROOT / "tests/data/fleet", root, dirs_exist_ok=True)
    shutil.copytree(ROOT / "schema/models", root / "schema/models")
    (root / "schema/sglang").mkdir()
    for release in ("0.5.9", "0.5.12", "0.5.23"):
        shutil.copy(ROOT / f"schema/sglang/{release}.json", root / "schema/sglang")
    host = root / "hosts/unknown-01/host.yaml"
    host.parent.mkdir()
    host.write_text(
        'host: unknown-01\nservices:\n  sglang-a:\n    release: "0.5.9"\n    python: /opt/e/bin/python3\n'
        "    flags: {model-path: nobody/knows-this}\n"
    )
    shutil.copy(ROOT / "tests/model/configs/Qwen--Qwen3-0.6B.json", root / "config.json")
    shutil.copy(ROOT / "tests/corpus/logs.jsonl", root / "logs.jsonl")
    (root / "server.log").write_text("\n".join(log(ERAS[-1])))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    kimi = root / "hosts/kimi-01/host.yaml"
    kimi.write_text(kimi.read_text().replace("hicache-ratio: 4.0", "hicache-ratio: 3.0"))
    return root


def answer(repository: Path, *call: str, stdin: str = "") -> str:
    at = call.index("--") if "--" in call else len(call)
    words = [*call[:at], *(() if "--batch" in call else ("--format", "json")), *call[at:]]
    done = subprocess.run([BIN / "sgfleet", *words], cwd=repository, input=stdin, capture_output=True, text=True)
    assert done.returncode in {0, 1, 2, 3}, done.stderr
    assert done.stdout, done.stderr
    return done.stdout


def held(name: str, document: object) -> None:
    schema = json.loads(SCHEMAS[name].read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(document)


@pytest.mark.parametrize(
    ("name", "call"), CALLS, ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
def test_the_real_answer_is_as_said(name, call, repository):
    document = json.loads(answer(repository, *call))
    held(name, document)
    assert next(iter(document)) == "format"
    described(json.loads(SCHEMAS[name].read_text()), document)


def described(schema: dict, value: object, root: dict | None = None) -> None:
    """No key of an answer goes without a word in its schema."""
    root = root or schema
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    options = [option for option in schema.get("anyOf", ()) if option != {"type": "null"}]
    if options and value is not None:
        fitting = [
            one for one in options if jsonschema.Draft202012Validator({**one, "$defs": root["$defs"]}).is_valid(value)
        ]
        described(fitting[0], value, root)
    elif isinstance(value, dict) and (known := schema.get("properties")) is not None:
        assert value.keys() <= known.keys()
        for key, each in value.items():
            described(known[key], each, root)
    elif isinstance(value, dict) and isinstance(schema.get("additionalProperties"), dict):
        for each in value.values():
            described(schema["additionalProperties"], each, root)
    elif isinstance(value, list) and "items" in schema:
        for each in value:
            described(schema["items"], each, root)


def test_every_line_of_a_batch_is_as_said(repository):
    lines = ['["--model-path", "m", "--tp", "8"]', '["--nothing"]', "no JSON"]
    answers = answer(repository, "argv", "0.5.9", "--batch", stdin="\n".join(lines)).splitlines()
    assert len(answers) == len(lines)
    for line in answers:
        held("argv-batch", json.loads(line))
        described(json.loads(SCHEMAS["argv-batch"].read_text()), json.loads(line))


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_refuses_what_is_not_its_own(name):
    with pytest.raises(jsonschema.ValidationError):
        held(name, {"format": 0})


SHARED = {"render": "check"}
"""Commands that answer in the form of another one."""


def test_every_command_with_json_has_a_schema():
    commands = {
        "-".join(command.words)
        for command in grammar().walk()
        if any(option.names == ("--format",) and "json" in option.words for option in command.options)
    }
    names = {SHARED.get(name, name) for name in commands}
    missing = names - SCHEMAS.keys()
    assert not missing, f"write schema/output/{min(missing)}.schema.json"
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    unheld = {name for name in names - {name for name, _ in CALLS} if f"{name}.schema.json" not in tests}
    assert not unheld, f"hold a real answer against schema/output/{min(unheld)}.schema.json: a call above is enough"
