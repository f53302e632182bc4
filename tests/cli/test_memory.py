"""`sgfleet memory` and `sgfleet accuracy`: golden answers in every form, changes tried on paper, what cannot be said.

SGFLEET_GOLDEN=1 writes the golden files anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

GOLDEN = Path(__file__).with_name("golden") / "memory"
TESTS = Path(__file__).parents[1]
GIB = 2**30

HOST = """\
host: h
defaults: {python: /opt/python, user: sglang}
services:
  chat:
    release: "0.5.9"
    gpus: [0, 1, 2, 3, 4, 5, 6, 7]
    flags:
      model-path: /models/kimi
      tp-size: 8
      enable-hierarchical-cache: true
      hicache-ratio: 4.0
      api-key: sk-a-secret-that-nobody-may-see
    environment: {HF_TOKEN: hf_another}
  draft:
    release: "0.5.23"
    gpus: [8, 9]
    flags: {model-path: Qwen/Qwen3-8B, tp-size: 2}
"""
LOST = """\
  lost: {release: "0.5.9", gpus: [10], flags: {model-path: nobody/knows-this}}
"""
FACTS = """\
format: 1
host: h
read:
  gpus: {how: by hand}
  memory: {how: by hand}
gpus:
GPUS
memory: {total-bytes: 540000000000, available-bytes: 425201762304}
checkpoints:
  - {path: /models/kimi, total-bytes: 547000000000, model: moonshotai/Kimi-K2.5}
observed:
  chat: {release: "0.5.9", kv-tokens: 159277, free-after-gib-min: 7.0}
"""
GPU = '  - {index: %d, name: NVIDIA RTX PRO 6000 Blackwell, memory-mib: 97887, compute-capability: "12.0"}\n'
POLICY = "policy: {reserve: {host-ram: 48GiB}}\n"


@pytest.fixture
def root(tmp_path):
    gpus = "".join(GPU % index for index in range(11))
    files = {"fleet.yaml": POLICY, "hosts/h/host.yaml": HOST, "hosts/h/facts.yaml": FACTS.replace("GPUS\n", gpus)}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


FACTS_FILE = "hosts/h/facts.yaml"


def edit(root, old, new, path="hosts/h/host.yaml"):
    file = root / path
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def run(*arguments, root=None):
    command = [Path(sys.executable).parent / "sgfleet", *map(str, arguments)]
    if root is not None:
        command += ["--root", root]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def memory(root, *arguments):
    return run("memory", *arguments, root=root)


CASES = {
    "now.txt": ["h/chat"],
    "ratio.txt": ["h/chat", "--set", "hicache-ratio=2"],
    "release.txt": ["h/chat", "--release", "0.5.23", "--set", "hicache-ratio=4"],
    "all.txt": ["h"],
    "unjudged.txt": ["h/chat", "--set", "cpu-offload-gb=500"],
    "ranks.txt": ["h/draft", "--set", "tp-size=4"],
    "ratio.json": ["h/chat", "--set", "hicache-ratio=2", "--format", "json"],
    "ratio.md": ["h/chat", "--set", "hicache-ratio=2", "--format", "markdown"],
    "ratio.svg": ["h/chat", "--set", "hicache-ratio=2", "--format", "svg"],
}


@pytest.mark.parametrize("name", CASES)
def test_golden(root, name):
    done = memory(root, *CASES[name])
    assert done.stderr == ""
    if os.environ.get("SGFLEET_GOLDEN"):
        (GOLDEN / name).write_text(done.stdout)
    assert done.stdout == (GOLDEN / name).read_text()
    assert done.returncode == {"release.txt": 1, "ranks.txt": 1, "unjudged.txt": 3}.get(name, 0)


@pytest.mark.parametrize("form", ["text", "json", "markdown", "svg"])
def test_secrets_are_in_no_form(root, form):
    said = memory(root, "h", "--format", form).stdout
    assert "sk-a-secret" not in said
    assert "hf_another" not in said


def test_the_question_of_the_production_machine(root):
    """Can we do ratio 4?"""
    said = memory(root, "h/chat", "--set", "hicache-ratio=4").stdout
    for figure in ("41.70", "333.57", "62.43", "396.00", "48.00", "4.17 by policy", "4.62 by the engine's check"):
        assert figure in said


def test_the_same_ratio_in_a_release_that_divides_its_check(root):
    done = memory(root, "h/chat", "--release", "0.5.20", "--set", "hicache-ratio=4")
    assert done.returncode == 1
    assert "starts or not depending on the order in which ranks make their host pools" in done.stdout
    assert "with the 159,277 KV tokens of today the largest ratio is 2.46 in any order" in done.stdout


def test_parts_add_up(root):
    data = json.loads(memory(root, "h/chat", "--set", "hicache-ratio=2", "--format", "json").stdout)
    (host,) = data["hosts"]
    (service,) = host["services"]
    for when in ("now", "after"):
        parts = {row["part"]: row[when]["bytes"] for row in service["gpu"]}
        assert parts.pop("card") == sum(parts.values()) == 97_887 * 2**20
        ram = {row["part"]: row[when]["bytes"] for row in host["ram"]}
        assert ram["available"] - ram["pinned"] == ram["left"]
    assert ram["pinned"] == 8 * 318_555 * 70_272


def test_a_picture_is_well_formed(root):
    drawn = ElementTree.fromstring(memory(root, "h", "--format", "svg").stdout)
    width = float(drawn.get("width"))
    for bar in drawn.iter("{http://www.w3.org/2000/svg}rect"):
        if bar.get("x") is not None:
            assert 0 <= float(bar.get("x")) <= float(bar.get("x")) + float(bar.get("width")) <= width


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--set", "hicache-ratio"], "--set hicache-ratio: not FLAG=VALUE"),
        (["--set", "=4"], "--set =4: not FLAG=VALUE"),
        (["--set", "hicache-ratoi=4"], "did you mean hicache-ratio"),
        (["--set", "hicache_ratio=4"], "did you mean hicache-ratio?"),
        (["--set", "tp=8"], "did you mean tp-size?"),
        (["--set", "ratio=4"], "or hicache-ratio"),
        (["--set", "zz9=4"], "no flag of this release comes near"),
        (["--release", "latest"], "the newest of "),
        (["--set", "hicache-ratio=four"], 'hicache-ratio takes a number, not "four"'),
        (["--set", "attention-backend=none-such"], "has no choice"),
        (["--set", "json-model-override-args={"], "--set json-model-override-args: json-model-override-args holds no"),
        (["--set", "kv-events-config=[1]"], "takes a mapping in JSON, not a list"),
        (["--set", "log-level=inof"], "help: did you mean info?"),
        (["--release", "9.9.9"], "there is no flag schema of SGLang '9.9.9'"),
        (["--release", "0.5.8", "--set", "disable-hicache-numa=1"], "SGLang 0.5.8 has no flag"),
    ],
)
def test_a_change_that_cannot_be_read(root, change, said):
    done = memory(root, "h/chat", *change)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


OUTSIDE = {
    "page-size": ("0", "must be at least 1"),
    "tp-size": ("0", "must be at least 1"),
    "hicache-ratio": (".inf", "must be at most 1,000,000"),
    "max-total-tokens": ("-7", "must be at least 1"),
    "mem-fraction-static": ("85", "must be less than 1"),
    "cpu-offload-gb": ("-1", "must be at least 0"),
}


WRITTEN = {"tp-size": "8", "hicache-ratio": "4.0"}


@pytest.mark.parametrize("flag", OUTSIDE)
def test_a_number_that_cannot_be_is_refused_as_check_does(root, flag):
    value, said = OUTSIDE[flag]
    done = memory(root, "h/chat", "--set", f"{flag}={value}")
    assert done.returncode == 2
    assert f"error: --set {flag}: {flag} " in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("flag", OUTSIDE)
def test_the_same_number_in_the_file_is_no_success(root, flag):
    if flag in WRITTEN:
        edit(root, f"{flag}: {WRITTEN[flag]}", f"{flag}: {OUTSIDE[flag][0]}")
    else:
        edit(root, "      tp-size: 8\n", f"      tp-size: 8\n      {flag}: {OUTSIDE[flag][0]}\n")
    done = memory(root, "h/chat")
    assert done.returncode == 1
    assert f"error[FLG014]: {flag} " in done.stdout


@pytest.mark.parametrize(
    "change",
    ["page-size=64", "tp-size=4", "pp-size=3", "hicache-size=11", "kv-cache-dtype=fp8_e4m3", "mem-fraction-static=0.01",
     "mem-fraction-static=0.99", "dp-size=8", "nnodes=2", "quantization=fp8", "max-total-tokens=1", "context-length=1",
     "speculative-algorithm=NGRAM", "enable-hierarchical-cache=", "model-path=Qwen/Qwen3-8B", "hicache-ratio=1e5",
     "cuda-graph-max-bs=1", "chunked-prefill-size=-1", "disable-radix-cache=true", "max-running-requests=1"],
)  # fmt: skip
def test_any_change_gets_an_answer(root, change):
    done = memory(root, "h/chat", "--set", change)
    assert done.returncode in (0, 1)
    assert done.stderr == ""
    assert "KV tokens" in done.stdout


def test_heads_that_leave_a_rest_are_an_error(root):
    done = memory(root, "h/chat", "--set", "tp-size=3")
    assert done.returncode == 1
    assert done.stdout.count("attention heads cannot be divided") == 1
    assert "error[MEM020]: 64 attention heads cannot be divided among 3 ranks\n" in done.stdout


def test_a_change_that_is_none(root):
    done = memory(root, "h/chat", "--set", "hicache-ratio=4")
    assert "after" in done.stdout
    assert " → " not in done.stdout


def test_what_is_not_known_is_said_and_is_no_success(root):
    edit(root, HOST, HOST + LOST)
    done = memory(root, "h")
    assert done.returncode == 3
    assert "lost\n  not computed: " in done.stdout
    assert "not counted: lost" in done.stdout
    assert "of those that are counted" in done.stdout
    assert "at most; of it about " in done.stdout
    assert "of all services" not in done.stdout
    assert "not judged: what lost pins beside it" in done.stdout


def test_what_takes_the_same_gpus_and_is_not_known(root):
    waive = "    waive: [{code: HST002, reason: they take turns}]\n"
    lost = '  lost:\n    release: "0.5.9"\n    gpus: [8]\n    flags: {model-path: nobody/knows-this}\n'
    edit(root, HOST, HOST + lost + waive)
    done = memory(root, "h/draft")
    assert done.returncode == 3
    assert "not judged: the share of lost in the same GPUs" in done.stdout


def test_without_facts_nothing_is_guessed(root):
    (root / "hosts/h/facts.yaml").unlink()
    done = memory(root, "h")
    assert done.returncode == 3
    assert "nothing is known of its GPUs" in done.stdout
    assert done.stdout.count("not computed: ") == 2
    assert "run sgfleet facts" in done.stdout


def test_without_ram_the_pools_are_still_shown(root):
    facts = root / "hosts/h/facts.yaml"
    facts.write_text(
        facts.read_text().replace("memory: {total-bytes: 540000000000, available-bytes: 425201762304}\n", "")
    )
    done = memory(root, "h/chat")
    assert done.returncode == 3
    assert "333.57" in done.stdout
    assert "not judged: whether the host pools fit: how much RAM the host has is not known" in done.stdout


def test_ram_that_is_taken_for_available_is_not_called_measured(root):
    edit(root, ", available-bytes: 425201762304", "", FACTS_FILE)
    said = memory(root, "h/chat").stdout
    (line,) = [each for each in said.splitlines() if each.startswith("  available")]
    assert "all RAM, taken for available" in line
    assert "measured" not in line
    assert "of 502.91 GiB (all its RAM)" in said


def test_cards_of_two_kinds_are_two_kinds(root):
    edit(root, GPU % 10, '  - {index: 10, name: NVIDIA L4, memory-mib: 23034, compute-capability: "8.9"}\n', FACTS_FILE)
    first = memory(root, "h").stdout.splitlines()[0]
    assert first == "h  10 × NVIDIA RTX PRO 6000 Blackwell, 97,887 MiB each, and 1 × NVIDIA L4, 23,034 MiB"


def test_a_service_without_kv_rows_has_no_host_pool_to_check(root):
    done = memory(root, "h/chat", "--set", "tp-size=4")
    assert done.returncode == 1
    assert "KV tokens                 159,277 (measured) → 0" in done.stdout
    assert "check passes" not in done.stdout
    assert "largest ratio" not in done.stdout


def test_a_limit_is_exact_and_no_error_is_larger_than_its_figure(root):
    said = memory(root, "h/draft", "--set", "max-total-tokens=1000").stdout
    assert "→ 1,000\n" in said
    edit(root, '  chat: {release: "0.5.9", kv-tokens: 159277, free-after-gib-min: 7.0}\n', "  {}\n", FACTS_FILE)
    for fraction in ("0.70", "0.71", "0.72", "0.73", "0.74"):
        said = memory(root, "h/chat", "--set", f"mem-fraction-static={fraction}").stdout
        for count, error in re.findall(r"([\d,]+) ± ([\d,]+)", said):
            assert int(error.replace(",", "")) <= int(count.replace(",", "")), (fraction, count, error)


@pytest.mark.parametrize(("target", "said"), [("x", "x"), ("h/x", "h has no service 'x'")])
def test_targets_that_are_not_there(root, target, said):
    done = memory(root, target)
    assert done.returncode == 2
    assert said in done.stderr


def test_no_service_is_no_success(root):
    (root / "hosts/h/host.yaml").write_text("host: h\nservices: {}\n")
    done = memory(root)
    assert done.returncode in (2, 3)
    assert "error" in done.stderr


# ---- accuracy ----------------------------------------------------------------------------------------------------


def test_the_corpus_is_near_enough():
    done = run("accuracy", TESTS / "corpus" / "logs.jsonl")
    assert done.returncode == 0, done.stdout
    assert "measured: 12 of 12 as near as is asked for, 12 as near as is claimed" in done.stdout


def test_a_miss_is_an_answer_of_its_own(tmp_path):
    logs = tmp_path / "more.jsonl"
    logs.write_text(
        '{"id": "far", "model": "Qwen/Qwen3-8B", "gpu": "H100", "sglang_version": "0.5.9", "flags": ["--tp", "1"], '
        '"logged": {"kv_tokens": 100}}\n'
    )
    done = run("accuracy", logs, "--keep", tmp_path / "page.md")
    assert done.returncode == 1
    assert "MISS" in done.stdout
    assert "a rank than is counted" in done.stdout
    assert "| far | KV tokens | hardware |" in (tmp_path / "page.md").read_text()


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", 3, "has no entry"),
        (b"{", 2, "line 1: is not JSON"),
        (b"\xff", 2, "is not UTF-8"),
        (None, 2, "No such file"),
    ],
)
def test_files_of_logs_that_are_none(tmp_path, content, code, said):
    logs = tmp_path / "logs.jsonl"
    if content is not None:
        logs.write_bytes(content)
    done = run("accuracy", logs)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
