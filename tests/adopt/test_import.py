"""What is imported and rendered again starts the same process: the corpus's units and commands, and made-up ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sgfleet.adopt.service import Imported, import_text, import_words
from sgfleet.adopt.start import Refused
from sgfleet.engine.argv.outcome import Parsed
from sgfleet.engine.argv.parse import parse
from sgfleet.engine.store import load
from sgfleet.render.host import render_host
from sgfleet.render.quoting import environment_assignment, exec_word
from sgfleet.render.unit_reader import parse_unit
from sgfleet.render.unquoting import read_environment, read_exec
from sgfleet.source.tree import WorkTree
from sgfleet.spec.repository import Repository

CORPUS = Path(__file__).parents[1] / "corpus"
PYTHON = "/opt/e/bin/python3"
MODULE = ["-m", "sglang.launch_server"]


def rendered(found: Imported, root: Path) -> str:
    """The unit of an imported service."""
    folder = root / "hosts" / "box-01"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "host.yaml").write_text(found.yaml("box-01", "a test"), encoding="utf-8")
    spec = Repository(WorkTree(root)).host("box-01")
    assert not spec.findings, spec.findings
    result = render_host(spec, load)
    assert not result.findings, result.findings
    (unit,) = result.units.values()
    return unit


def process(text: str) -> tuple[list[str], dict[str, str], dict[str, str | None]]:
    """argv, environment and account of a unit."""
    unit = parse_unit(text)
    environment = {
        each.name: each.value
        for setting in unit.settings("Service", "Environment")
        for each in read_environment(setting.value).assignments
    }
    (command,) = read_exec(unit.value("Service", "ExecStart") or "", environment)
    account = {key: unit.value("Service", key) for key in ("Group", "WorkingDirectory", "Restart", "KillMode")}
    return list(command.argv), environment, account


def held(argv: list[str], release: str) -> str:
    """What the release's parser holds after a command line."""
    outcome = parse(load(release), argv)
    assert isinstance(outcome, Parsed), outcome
    return repr(sorted(outcome.namespace.items()))


@pytest.mark.parametrize("name", ["kimi-k25-production", "venv-tp4-path-not-expanded"])
@pytest.mark.parametrize("release", ["0.5.9", "0.5.12"])
def test_units_of_the_corpus_start_the_same_process(tmp_path, name, release):
    text = (CORPUS / "units" / f"{name}.service").read_text()
    found = import_text(text, name, load, release=release)
    assert not found.told.lost
    assert not found.told.todo
    before, after = process(text), process(rendered(found, tmp_path))
    assert after[0][:3] == before[0][:3]
    assert held(after[0][3:], release) == held(before[0][3:], release)
    assert after[1] == before[1]
    for key, value in before[2].items():
        assert value is None or after[2][key] == value


def test_a_container_becomes_a_service_on_the_host(tmp_path):
    found = import_text((CORPUS / "units/docker-run.service").read_text(), "docker-run", load, python=PYTHON)
    assert found.spec["release"] == "0.5.9"
    assert found.spec["flags"]["model-path"] == "/srv/models/llama4-scout-17b-nvfp4"
    assert not found.told.todo
    assert len(found.told.lost) == 2  # ExecStartPre= and ExecStop= of docker
    rendered(found, tmp_path)


def test_a_script_that_is_elsewhere_is_refused():
    with pytest.raises(Refused) as refused:
        import_text((CORPUS / "units/shell-wrapper.service").read_text(), "w", load, release="0.5.9")
    assert refused.value.help


ACCEPTED = [
    (entry["argv"], release)
    for entry in map(json.loads, (CORPUS / "commands.jsonl").read_text().splitlines())
    if isinstance(entry.get("argv"), list)
    for release in ("0.4.6", "0.5.9", "0.5.20")
]


def test_commands_of_the_corpus_give_the_server_the_same_values(tmp_path):
    imported = 0
    for argv, release in ACCEPTED:
        outcome = parse(load(release), argv)
        words = [PYTHON, *MODULE, *argv]
        try:
            found = import_words(words, load, release=release, name="s")
        except Refused:
            assert not isinstance(outcome, Parsed) or "--config" in argv
            continue
        assert isinstance(outcome, Parsed)
        if found.spec.get("secrets") or "config" in found.spec["flags"]:
            continue
        after, _, _ = process(rendered(found, tmp_path))
        assert held(after[3:], release) == held(argv, release), argv
        imported += 1
    assert imported > 20


TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff"), min_size=1)
NAMES = st.from_regex(r"[A-Z][A-Z_]{0,8}", fullmatch=True).filter(
    lambda name: not name.endswith(("KEY", "TOKEN", "PASS"))
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    model=TEXT.map(lambda text: f"/m/{text}"),
    served=TEXT,
    port=st.integers(1, 65535),
    fraction=st.floats(0.01, 0.99),
    environment=st.dictionaries(NAMES, TEXT, max_size=3),
)
@example(model="/m/a b$%\"'\\", served="-x", port=1, fraction=0.1, environment={"A": "$HOME %h 'q' \"d\" \\"})
def test_any_unit_comes_back(tmp_path, model, served, port, fraction, environment):
    argv = ["--model-path", model, f"--served-model-name={served}", "--port", str(port)]
    argv += [f"--mem-fraction-static={fraction!r}"]
    lines = [f"Environment={environment_assignment(name, value)}" for name, value in environment.items()]
    start = " ".join(map(exec_word, [PYTHON, *MODULE, *argv]))
    text = "\n".join(["[Service]", *lines, f"ExecStart={start}", ""])
    try:
        found = import_text(text, "any", load, release="0.5.9")
    except Refused:
        return  # a text that happens to look like a secret inside of a list
    if found.told.todo or found.spec.get("secrets"):
        return
    after, shown, _ = process(rendered(found, tmp_path))
    assert held(after[3:], "0.5.9") == held(argv, "0.5.9")
    assert shown == environment


def test_secrets_become_names(tmp_path):
    words = [PYTHON, *MODULE, "--model-path", "/m", "--api-key", "hunter2-hunter2"]
    found = import_words(["env", "HF_TOKEN=hf_aaaaaaaaaaaaaaaaaaaaaaaa", *words], load, release="0.5.9", name="chat")
    assert found.spec["secrets"] == {"api-key": "CHAT_API_KEY"}
    assert found.spec["environment-files"] == ["/etc/sglang/chat.env"]
    shown = found.yaml("h", "s") + repr(found.told)
    assert "hunter2" not in shown
    assert "hf_aaa" not in shown
    assert len(found.told.todo) == 2
    assert "${CHAT_API_KEY}" in rendered(found, tmp_path)


def test_a_variable_of_an_environment_file_stays_one(tmp_path):
    text = (
        "[Service]\nEnvironmentFile=/etc/s.env\n"
        f"ExecStart={PYTHON} -m sglang.launch_server --model-path /m --api-key ${{KEY}} --port=${{PORT}}\n"
    )
    found = import_text(text, "s", load, release="0.5.9")
    assert found.spec["secrets"] == {"api-key": "KEY", "port": "PORT"}
    assert found.spec["environment-files"] == ["/etc/s.env"]
    with pytest.raises(Refused, match="depends on DIR"):
        import_text(text.replace("/m ", "/m/${DIR} "), "s", load, release="0.5.9")


SCRIPT = """\
#!/bin/bash
set -euo pipefail
MODELS=/srv/models
export CUDA_HOME=/usr/local/cuda
source /opt/venv/bin/activate
cd /srv && ulimit -l unlimited
NCCL_DEBUG=INFO exec python -u -m sglang.launch_server \\
  --model "$MODELS/a b" --tp 2 --json-model-override-args '{"a": 1}' > /var/log/x 2>&1 &
"""


def test_a_start_script(tmp_path):
    found = import_text(SCRIPT, None, load, release="0.5.9")
    assert found.name == "sglang-a-b"
    assert found.spec["python"] == "/opt/venv/bin/python3"
    assert found.spec["working-directory"] == "/srv"
    assert found.spec["environment"] == {"CUDA_HOME": "/usr/local/cuda", "NCCL_DEBUG": "INFO", "PYTHONUNBUFFERED": "1"}
    assert found.spec["flags"]["model"] == "/srv/models/a b"
    assert found.spec["unit"] == {"limit-memlock": "infinity"}
    rendered(found, tmp_path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("python -m sglang.launch_server --model-path $(ls)", "output is not known"),
        ("for i in 1 2; do python -m sglang.launch_server; done", "'for'"),
        ("echo hello", "no start"),
        ("", "no start"),
        ("python -m sglang.launch_server --model-path 'x", "not closed"),
        ("python -m sglang.launch_server --nope 1 --model-path x", "no option"),
        ("[Service]\nExecStart=/bin/true\n", "it runs true"),
        ("[Service]\n", "no commands"),
    ],
)
def test_what_cannot_be_imported_says_why(text, why):
    with pytest.raises(Refused, match=why):
        import_text(text, None, load, release="0.5.9")
