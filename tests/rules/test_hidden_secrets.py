"""No finding shows a secret, wherever somebody has put it, and none of its neighbours does."""

from __future__ import annotations

import io
import re

import pytest

from output.test_output_golden import FORMATS
from rules.checking import check
from sgfleet.output.summary import Summary

WORD = "hunter2-and-more"
SHORT = "hunter2"
TOKEN = "hf_" + "a1B2" * 9
HEAD = 'host: h\nservices:\n  a:\n    release: "0.5.9"\n    python: /opt/sglang-0.5.9/bin/python3\n'

# Each makes at least one finding that shows the line.
PLACES = {
    "flag": "flags: {api-key: SECRET}",
    "flag with underscores": "flags: {api_key: SECRET}",
    "flag mistyped": "flags:\n  api-keyy: SECRET",
    "flag with letters swapped": "flags:\n  api-kye: SECRET",
    "flag in camel case": "flags:\n  apiKey: SECRET",
    "flag as a list": "flags:\n  api-key: [SECRET]",
    "flags as text": "flags: --model-path /m --api-key SECRET",
    "flags as a list": "flags: [--api-key, SECRET]",
    "flags as a list of pairs": "flags: [--api-key=SECRET]",
    "key of JSON": "flags: {json-model-override-args: {api_key: SECRET}}",
    "deeper in JSON": "flags: {json-model-override-args: {a: [{db_password: SECRET}]}}",
    "JSON as text": """flags: {json-model-override-args: '{"api_key": "SECRET"}'}""",
    "broken JSON": """flags: {extra-metric-labels: '{"api_key": "SECRET"'}""",
    "in place of a variable": "secrets: {api-key: SECRET}",
    "in place of a variable, name with underscores": "secrets: {api_key: SECRET}",
    "as a list in place of a variable": "secrets: {api-key: [SECRET]}",
    "secrets as text": "secrets: SECRET",
    "secrets as a list": "secrets: [api-key=SECRET]",
    "variable": "environment: {DB_PASS: SECRET}",
    "variable with a blank": "environment: {API KEY: SECRET}",
    "variables as text": "environment: HF_TOKEN=SECRET",
    "variables as a list": "environment:\n  - HF_TOKEN=SECRET",
    "variables as keys": "environment: {HF_TOKEN=SECRET}",
    "file": "environment-files: HF_TOKEN=SECRET",
    "files": "environment-files: [HF_TOKEN=SECRET]",
    "service's own key": "api-key: SECRET",
    "why": "why: [called with --api-key SECRET]",
    "comment": "flags: {tp-sizee: 8}  # the token is SECRET",
    "assignment in a comment": "flags: {tp-sizee: 8}  # API_KEY=SECRET",
}


def shown(found):
    """What all formats print."""
    texts = []
    for make in FORMATS.values():
        stream = io.StringIO()
        writer = make(stream)
        writer.begin()
        writer.add(found)
        writer.end(Summary(), ())
        texts.append(stream.getvalue())
    return texts


def repository(body):
    return {"hosts/h/host.yaml": HEAD + "".join(f"    {line}\n" for line in body.splitlines())}


@pytest.mark.parametrize("secret", [WORD, SHORT, TOKEN])
@pytest.mark.parametrize("name", PLACES)
def test_no_format_shows_it(name, secret, tmp_path):
    found = check(tmp_path, repository(PLACES[name].replace("SECRET", secret)))
    assert any(finding.place.line > 5 for finding in found), "nothing is said about the line"
    for text in shown(found):
        assert secret not in text
        assert secret[:6] not in text


def test_in_a_file_that_cannot_be_read(tmp_path):
    body = f"flags: {{api-key: {WORD}, tp-size: [}}"
    for text in shown(check(tmp_path, repository(body))):
        assert WORD not in text


@pytest.mark.parametrize(
    "body",
    [
        "secrets: {api-key: CHAT_API_KEY}",
        "flags: {tp-sizee: 8}  # as measured in May",
        "flags: {json-model-override-args: {eos_token: </s>, x: }, tp-sizee: 8}",
        "flags: {bucket-time-to-first-token: [0.1, x]}",
        "flags: {api-key: $CHAT_API_KEY}",
        "environment-files: [relative.env]",
        "environment-files: [./relative, .env, chat/secrets.conf]",
    ],
)
def test_what_is_no_secret_is_shown(body, tmp_path):
    found = check(tmp_path, repository(body))
    lines = {finding.place.text.strip() for finding in found if finding.place.text and finding.place.line > 5}
    assert lines == {body}


def test_a_secret_inside_json_is_said(tmp_path):
    found = check(tmp_path, repository("flags: {json-model-override-args: {a: {api_key: " + WORD + "}}}"))
    (said,) = [finding for finding in found if finding.code == "FLG015"]
    assert said.route[-2:] == ("a", "api_key")


def test_lower_case_under_secrets_is_said(tmp_path):
    found = check(tmp_path, repository("secrets: {api-key: chat_key}\nenvironment-files: [/etc/x.env]"))
    (said,) = [finding for finding in found if finding.code == "SRV011"]
    assert "API_KEY" in said.help


@pytest.mark.parametrize("written", ["a b", "a-b", "x!", "12", "3.5", "1234567", '"12"', "[a b]", "é é"])
@pytest.mark.parametrize("where", ["secrets: {{api-key: {}}}", "secrets: {{nope: {}}}"])
def test_what_is_no_name_under_secrets_is_shown_nowhere_however_short(where, written, tmp_path):
    """In the message as little as in the excerpt, and what has to stand there is said."""
    bare = written.strip('[]"')
    found = [each for each in check(tmp_path, repository(where.format(written))) if each.place.line > 5]
    assert any("the name of a variable" in f"{each.message} {each.help}" for each in found)
    for each in found:
        said = " ".join(filter(None, (each.message, each.help, *each.arithmetic)))
        assert not re.search(rf"(?<![\w.]){re.escape(bare)}(?![\w.])", said), said
        assert bare not in (each.place.text or "")


def test_the_path_of_a_file_is_named_in_the_message(tmp_path):
    (said,) = [
        each for each in check(tmp_path, repository("environment-files: [relative.env]")) if each.code == "SPC004"
    ]
    assert said.message == "environment-files[0]: relative.env is not an absolute path"
