"""JSON in the text of flags, as the releases read it when they start."""

from __future__ import annotations

import pytest

from rules.said import messages, said
from rules.views import service

TEXTS = [
    ("json-model-override-args", "0.4.0"),
    ("kv-events-config", "0.4.9"),
    ("preferred-sampling-params", "0.5.3"),
    ("deepep-config", "0.5.9"),
    ("model-loader-extra-config", "0.5.9"),
    ("hicache-storage-backend-extra-config", "0.5.9"),
    ("hierarchical-sparse-attention-extra-config", "0.5.9"),
    ("hisparse-config", "0.5.23"),
    ("modelexpress-config", "0.5.23"),
    ("init-expert-location", "0.5.23"),
    ("disaggregation-ib-device", "0.5.23"),
]
READ = ["preferred-sampling-params", "extra-metric-labels", "mm-process-config", "limit-mm-data-per-request"]


@pytest.mark.parametrize(("name", "release"), TEXTS)
def test_no_json(name, release):
    (problem,) = said("flags.late_json", service({name: "{a: 1}"}, release=release))
    assert problem.message == f"{name} holds no JSON"
    assert "character 2" in problem.help


@pytest.mark.parametrize(("name", "release"), TEXTS)
def test_no_object(name, release):
    assert messages("flags.late_json", service({name: "[1]"}, release=release)) == [
        f"{name} takes a mapping in JSON, not a list"
    ]


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("text", ["3", '["a"]', '"a"', "true"])
def test_the_parser_reads_it_and_the_server_cannot_use_it(name, text):
    assert len(messages("flags.late_json", service({name: text}))) == 1


@pytest.mark.parametrize("value", ['{"a": 1}', "{}"])
@pytest.mark.parametrize(("name", "release"), TEXTS)
def test_objects(name, release, value):
    assert messages("flags.late_json", service({name: value}, release=release)) == []


@pytest.mark.parametrize(("name", "release"), TEXTS[:-2])
@pytest.mark.parametrize("value", [{"a": 1}, {}])
def test_mappings(name, release, value):
    assert messages("flags.late_json", service({name: value}, release=release)) == []


@pytest.mark.parametrize(
    ("name", "value", "release"),
    [
        ("deepep-config", "/etc/deepep.json", "0.5.9"),
        ("deepep-config", "", "0.5.9"),
        ("init-expert-location", "trivial", "0.5.9"),
        ("init-expert-location", "/srv/experts.pt", "0.5.9"),
        ("disaggregation-ib-device", "mlx5_0,mlx5_1", "0.5.9"),
        ("hicache-storage-backend-extra-config", "@/etc/hicache.toml", "0.5.9"),
        ("model-loader-extra-config", "", "0.5.9"),
        ("forward-hooks", [{"name": "a"}], "0.5.9"),
        ("limit-mm-data-per-request", {"image": 1, "video": 2}, "0.5.9"),
    ],
)
def test_other_text_that_is_right(name, value, release):
    assert messages("flags.late_json", service({name: value}, release=release)) == []


def test_a_file_where_the_release_takes_none():
    view = service({"hicache-storage-backend-extra-config": "@/etc/hicache.toml"}, release="0.5.6")
    assert len(messages("flags.late_json", view)) == 1


def test_empty_text_where_the_release_reads_it():
    assert len(messages("flags.late_json", service({"json-model-override-args": ""}))) == 1


def test_an_unknown_modality():
    (problem,) = said("flags.late_json", service({"limit-mm-data-per-request": {"images": 1}}))
    assert problem.help == "write one of image, video, audio"


def test_no_text_of_it_is_quoted():
    (problem,) = said("flags.late_json", service({"extra-metric-labels": '["hunter2"]'}))
    assert "hunter2" not in f"{problem.message}{problem.help}"
