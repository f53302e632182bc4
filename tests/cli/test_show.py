"""`sgfleet show`: golden text, the same for programs, and what it says when there is nothing to show."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sgfleet.source.read import read_text

GOLDEN = Path(__file__).with_name("golden") / "show.yaml"

FLEET = """\
defaults:
  user: sglang
  flags: {trust-remote-code: false, tp: 1}
  unit: {restart-sec: 90s, nice: 5}
"""
HOST = """\
host: h
defaults:
  release: "0.5.9"
  python: /opt/python
  flags:
    tp-size: 4
    tp: null
services:
  chat:
    why: "Two: words, and a # sign"
    gpus: [0, 1]
    flags:
      model-path: /m
      tensor-parallel-size: 8
      api-key: sk-a-secret-that-nobody-may-see
      json-model-override-args: {a: [1, "2"]}
      hicache-storage-backend-extra-config: {url: "https://me:a-password@host/"}
    secrets: {admin-api-key: ADMIN_KEY}
    environment: {HF_TOKEN: hf_another, CUDA_HOME: /usr/local/cuda, YES: "on"}
    unit: {nice: null, limit-memlock: 64GiB, wants: []}
    start: {budget: 90m}
    waive:
      - {code: SEC001, reason: "An example, so that there is one.", until: "2099-12-31"}
  plain: {flags: {model-path: /n}}
"""


@pytest.fixture
def root(tmp_path):
    for path, text in {"fleet.yaml": FLEET, "hosts/h/host.yaml": HOST}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def show(root, *arguments):
    command = [Path(sys.executable).parent / "sgfleet", "show", *arguments, "--root", root]
    environment = {**os.environ, "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_golden(root):
    done = show(root, "h")
    if os.environ.get("SGFLEET_ACCEPT"):
        GOLDEN.write_text(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == GOLDEN.read_text()


def test_secrets_are_not_shown_in_any_form(root):
    for form in ("yaml", "json"):
        said = show(root, "--format", form).stdout
        assert "sk-a-secret" not in said
        assert "hf_another" not in said
        assert "a-password" not in said
        assert "ADMIN_KEY" in said  # the name of a variable is no secret


def test_what_is_shown_is_yaml_and_says_the_same_as_json(root):
    shown = read_text(show(root).stdout, "shown").data
    told = json.loads(show(root, "--format", "json").stdout)
    assert told["format"] == 1

    def values(data):
        if "value" in data and "from" in data:
            return data["value"]
        return {key: values(each) for key, each in data.items()}

    assert shown == {"host": "h", "services": {k: values(v) for k, v in told["hosts"]["h"]["services"].items()}}
    chat = told["hosts"]["h"]["services"]["chat"]
    assert chat["flags"]["tensor-parallel-size"]["from"] == {"path": "hosts/h/host.yaml", "line": 14, "column": 7}
    assert chat["unit"]["restart-sec"]["from"]["path"] == "fleet.yaml"
    assert chat["unit"]["type"]["from"] is None


def test_one_service(root):
    assert list(json.loads(show(root, "h/plain", "--format", "json").stdout)["hosts"]["h"]["services"]) == ["plain"]


@pytest.mark.parametrize(
    ("target", "says"), [("hh", "did you mean h?"), ("h/chatt", "did you mean chat?"), ("h/x", "h has chat, plain")]
)
def test_names_that_do_not_exist(root, target, says):
    done = show(root, target)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_service_that_cannot_be_put_together(root):
    (root / "hosts/h/host.yaml").write_text(HOST + "  wrong: {gpu: [0]}\n")
    done = show(root)
    assert done.returncode == 1
    assert "plain" in done.stdout
    assert done.stderr == "error: h/wrong cannot be put together\nhelp: sgfleet check h says why\n"


def test_nothing_to_show(tmp_path):
    (tmp_path / "fleet.yaml").write_text("policy: {}\n")
    done = show(tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
