"""Secrets: which names and shapes are, which are not, and that no message holds one."""

from __future__ import annotations

import pytest

from rules.said import said
from rules.views import service
from sgfleet.spec.secret_names import names_secret
from sgfleet.spec.secret_shapes import kind_of_secret

WORD = "correct-horse-battery-staple"


@pytest.mark.parametrize(
    "name",
    ["api-key", "admin-api-key", "ssl-keyfile-password", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY",
     "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "APIKEY", "REDIS_PASSWORD", "api_key", "--api-key", "MY_SECRET"],
)  # fmt: skip
def test_names_of_secrets(name):
    assert names_secret(name)


@pytest.mark.parametrize(
    "name",
    ["ssl-keyfile", "tokenizer-path", "max-total-tokens", "TOKENIZERS_PARALLELISM", "HF_TOKEN_PATH", "API_KEY_FILE",
     "speculative-token-map", "NCCL_DEBUG", "SSH_AUTH_SOCK", "MONKEY"],
)  # fmt: skip
def test_other_names(name):
    assert not names_secret(name)


SHAPES = {
    "hf_" + "a1B2" * 9: "a Hugging Face token",
    "sk-" + "a1B2" * 8: "an API key",
    "sk-proj-" + "a1B2" * 8: "an API key",
    "ghp_" + "a1B2" * 9: "a GitHub token",
    "github_pat_" + "a1B2" * 9: "a GitHub token",
    "glpat-" + "a1B2" * 5: "a GitLab token",
    "AKIA" + "A1B2" * 4: "an AWS access key",
    "nvapi-" + "a1B2" * 6: "an NVIDIA API key",
    "eyJ" + "a1B2" * 4 + ".eyJ" + "a1B2" * 4 + "." + "a1B2" * 4: "a JSON web token",
    "-----BEGIN OPENSSH PRIVATE KEY-----": "a private key",
    "https://user:correct-horse@host/x": "a password in a URL",
    "redis://:correct-horse@host:6379": "a password in a URL",
}


@pytest.mark.parametrize(("text", "kind"), SHAPES.items())
def test_shapes(text, kind):
    assert kind_of_secret(text) == kind
    assert kind_of_secret(f"before {text} after") == kind


@pytest.mark.parametrize(
    "text",
    ["hf_short", "/srv/models/hf_model_with_a_long_name", "sk-1", "https://host:8080/a@b", "https://user@host/x",
     "git@github.com:org/repo", "https://user:${PASSWORD}@host/x", "AKIASHORT", "task-queue", "risk-" + "a" * 30],
)  # fmt: skip
def test_no_shapes(text):
    assert kind_of_secret(text) is None


@pytest.mark.parametrize("value", [WORD, 12345678])
def test_a_secret_in_a_flag_is_never_quoted(value):
    (problem,) = said("flags.secret_flag", service({"api-key": value}))
    assert problem.secret
    assert str(value) not in f"{problem.message}{problem.help}{problem.arithmetic}{problem.based_on}"
    assert "secrets: {api-key: API_KEY}" in problem.help


@pytest.mark.parametrize("value", ["", " ", None, "${API_KEY}", "$API_KEY", True])
def test_no_secret_is_there(value):
    flags = {} if value is None else {"api-key": value}
    assert said("flags.secret_flag", service(flags)) == []


def test_a_flag_that_the_release_lacks_may_hold_one_too():
    (problem,) = said("flags.secret_flag", service({"admin-api-key": WORD}, release="0.5.1"))
    assert problem.secret


@pytest.mark.parametrize(
    ("keys", "route"),
    [
        ({"flags": {"model-path": "https://u:correct-horse@host/m"}}, ("flags", "model-path")),
        ({"flags": {"encoder-urls": ["http://a", "http://u:correct-horse@b"]}}, ("flags", "encoder-urls", 1)),
        ({"flags": {"model-loader-extra-config": {"a": {"b": "hf_" + "a1B2" * 9}}}},
         ("flags", "model-loader-extra-config", "a", "b")),
        ({"environment": {"NOTE": "hf_" + "a1B2" * 9}}, ("environment", "NOTE")),
        ({"why": "with hf_" + "a1B2" * 9}, ("why",)),
    ],
)  # fmt: skip
def test_shapes_are_found_wherever_they_stand(keys, route):
    (problem,) = said("service.secret_by_shape", service(**keys))
    assert problem.route == route
    assert problem.secret
    assert "a1B2" not in f"{problem.message}{problem.help}"


def test_by_name_and_by_shape_is_said_once():
    view = service({"api-key": "sk-" + "a1B2" * 8}, environment={"HF_TOKEN": "hf_" + "a1B2" * 9})
    assert said("service.secret_by_shape", view) == []
    assert [problem.route for problem in said("flags.secret_flag", view)] == [("flags", "api-key")]
    assert [problem.route for problem in said("unit.secret_in_environment", view)] == [("environment", "HF_TOKEN")]
