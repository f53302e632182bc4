"""Names under which a value is not shown."""

from __future__ import annotations

import pytest

from sgfleet.source.read import read_text
from sgfleet.spec.secrecy import secrets_in
from sgfleet.spec.secret_names import names_secret


@pytest.mark.parametrize(
    "name",
    [
        "api-key",
        "admin-api-key",
        "HF_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "ssl-keyfile-password",
        "api_key",
        "PASSWORD",
        "APIKEY",
    ],
)
def test_secret(name):
    assert names_secret(name)


@pytest.mark.parametrize(
    "name",
    ["max-total-tokens", "tokenizer-path", "ssl-keyfile", "speculative-num-draft-tokens", "chunked-prefill-size"],
)
def test_not_secret(name):
    assert not names_secret(name)


def test_texts_in_a_document():
    text = """\
a: {api-key: sk-1, port: 1}
environment: {HF_TOKEN: hf, N_TOKEN: 5}
secrets: {api-key: NAME}
x: [{token: [t]}]
"""
    found = [(place.line, secret) for place, secret in secrets_in(read_text(text, "f.yaml"))]
    assert found == [(1, "sk-1"), (2, "hf"), (4, "t")]
