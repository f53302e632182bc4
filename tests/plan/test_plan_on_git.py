"""`sgfleet plan` on real Git repositories: what happens to whom, and why."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from plan.repository import KIMI, MIXED, Fleet, changes, codes, reasons

if TYPE_CHECKING:
    from pathlib import Path

RATIO = ("hicache-ratio: 4.0", "hicache-ratio: 2.0")
SUBJECT = "kimi-01/sglang-kimi"


def test_nothing_is_nothing(fleet: Fleet) -> None:
    said = fleet.plan("HEAD")
    assert said.code == 0
    assert "no change: both are the same" in said.out
    assert fleet.plan("HEAD..HEAD").code == 0


def test_the_story(fleet: Fleet) -> None:
    fleet.edit(KIMI, *RATIO)
    fleet.render()
    fleet.commit()
    fleet.edit(KIMI, *reversed(RATIO))
    fleet.render()
    said = fleet.plan("--format", "json", "HEAD")
    assert said.code == 2
    plan = said.json
    assert changes(plan) == {SUBJECT: "restarted"}
    assert reasons(plan, SUBJECT) == ["hicache-ratio 2.0 → 4.0: host pool 166.8 → 333.6 GiB over 8 ranks"]
    host = plan["hosts"][0]
    assert host["ram"]["after"]["pinned_bytes"] == pytest.approx(333.6 * 2**30, rel=1e-3)
    assert host["ram"]["after"]["fits"] is True
    load = host["services"][0]["load"]
    assert (load["seconds"], load["origin"], load["most_seconds"]) == (600, "at-least", None)
    assert plan["summary"]["lost_capacity"] == {
        "seconds": 600, "services": 1, "unknown": 0, "at_least": True, "estimated": False,
    }  # fmt: skip
    assert (plan["unchanged_hosts"], plan["files"]) == (2, 2)


def test_a_default_that_was_not_written_is_named(fleet: Fleet) -> None:
    fleet.edit(KIMI, "      hicache-ratio: 4.0\n", "")
    assert reasons(fleet.data("HEAD"), SUBJECT) == [
        "hicache-ratio 4.0 → 2.0 (default): host pool 333.6 → 166.8 GiB over 8 ranks"
    ]


@pytest.mark.parametrize(
    ("old", "new", "origin"),
    [
        ("port: 30000", "port: 30001", "observed"),
        ("model-path: /shared/kimi-k2.5-int4", "model-path: Qwen/Qwen3-8B", "estimated"),
        ("tp-size: 8", "tp-size: 4", "estimated"),
    ],
)
def test_an_observed_load_counts_for_the_same_weights_on_the_same_ranks(
    fleet: Fleet, old: str, new: str, origin: str
) -> None:
    fleet.edit("hosts/kimi-01/facts.yaml", "load-seconds-at-least: 600", "load-seconds: 700")
    fleet.commit("the start that was observed")
    fleet.edit(KIMI, old, new)
    load = fleet.data("HEAD")["hosts"][0]["services"][0]["load"]
    assert load["origin"] == origin
    assert load["least_seconds"] <= load["seconds"] <= load["most_seconds"]
    if origin == "observed":
        assert load["seconds"] == 700


def test_what_was_measured_before_is_not_taken_for_what_will_be(fleet: Fleet) -> None:
    """159,277 tokens were measured; the figure afterwards is the one that the reason says."""
    fleet.edit(KIMI, "      hicache-ratio: 4.0\n", "      hicache-ratio: 4.0\n      mem-fraction-static: 0.85\n")
    plan = fleet.data("HEAD")
    memory = plan["hosts"][0]["services"][0]["memory"]
    assert memory["before"]["kv_tokens"] == 159_277
    assert memory["after"]["kv_tokens"] != 159_277
    assert f"159,277 → {memory['after']['kv_tokens']:,}" in reasons(plan, SUBJECT)[0]


def test_several_reasons_those_with_consequences_first(fleet: Fleet) -> None:
    fleet.edit(KIMI, "port: 30000", "port: 30001")
    fleet.edit(KIMI, "hicache-ratio: 4.0", "hicache-ratio: 3.0\n      context-length: 8192")
    fleet.edit(KIMI, "CUDA_HOME: /usr/local/cuda-13.0", "CUDA_HOME: /usr/local/cuda-13.1")
    assert reasons(fleet.data("HEAD"), SUBJECT) == [
        "hicache-ratio 4.0 → 3.0: host pool 333.6 → 250.2 GiB over 8 ranks",
        "context-length set to 8192",
        "port 30000 → 30001",
        "environment CUDA_HOME /usr/local/cuda-13.0 → /usr/local/cuda-13.1",
    ]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (KIMI, "      port: 30000\n", "      port: 30000   # as ever\n"),
        (KIMI, "      host: 0.0.0.0\n      port: 30000\n", "      port: 30000\n      host: 0.0.0.0\n"),
        (KIMI, "      hicache-ratio: 4.0\n", "      hicache-ratio: 4.0\n\n"),
        ("fleet.yaml", "    restart-sec: 30s", "    restart-sec: 30s\n    timeout-stop-sec: 60s"),
        ("fleet.yaml", "# Defaults", "# Other words. Defaults"),
    ],
)  # fmt: skip
def test_what_renders_the_same_bytes_is_no_change_and_says_so(fleet: Fleet, path: str, old: str, new: str) -> None:
    fleet.edit(path, old, new)
    said = fleet.plan("HEAD")
    assert said.code == 0
    last = said.out.strip().splitlines()[-1]
    assert last == "no change: comments, order or defaults may differ, and every unit renders to the same bytes"


def test_another_name_of_a_flag_is_said_as_that(fleet: Fleet) -> None:
    fleet.edit(KIMI, "tp-size: 8", "tensor-parallel-size: 8")
    said = "tp-size is written as tensor-parallel-size, another name of the same flag"
    assert reasons(fleet.data("HEAD"), SUBJECT) == [said]


def test_words_for_people_restart_nothing(fleet: Fleet) -> None:
    fleet.edit(KIMI, "Prefix cache fourfold", "A prefix cache four times as large")
    fleet.render()
    said = fleet.plan("HEAD")
    assert said.code == 2
    assert "keeps running: only the unit's text changes" in said.out
    assert "lost capacity" not in said.out


def test_settings_of_systemd_alone_are_a_reload(fleet: Fleet) -> None:
    fleet.edit(KIMI, "timeout-stop-sec: 60s", "timeout-stop-sec: 90s")
    plan = fleet.data("HEAD")
    assert changes(plan) == {SUBJECT: "reloaded"}
    assert reasons(plan, SUBJECT) == ["timeout-stop-sec 1m → 1m30s"]
    assert plan["summary"]["lost_capacity"]["services"] == 0


def test_a_change_of_fleet_defaults_shows_every_host_that_it_moves(fleet: Fleet) -> None:
    fleet.edit("fleet.yaml", "    restart-sec: 30s", "    restart-sec: 45s")
    fleet.render()
    plan = fleet.data("HEAD")
    assert set(changes(plan).values()) == {"reloaded"}
    assert {host["host"] for host in plan["hosts"]} == {"kimi-01", "llama-70b-01", "mixed-01"}
    assert plan["causes"] == ["fleet.yaml"]
    path = plan["hosts"][0]["services"][0]["reasons"][0]["path"]
    assert path == "fleet.yaml"


def test_a_stricter_policy_is_new_findings_and_no_change(fleet: Fleet) -> None:
    fleet.edit("fleet.yaml", "host-ram: 48GiB", "host-ram: 100GiB")
    said = fleet.plan("--format", "json", "HEAD")
    assert said.code == 1
    assert changes(said.json) == {}
    assert codes(said.json, "new")
    assert all(each["host"] == "kimi-01" for each in said.json["findings"]["new"])


def test_a_schema_in_the_change_is_the_one_that_counts(fleet: Fleet, schema: Path) -> None:
    shutil.copytree(schema, fleet.root / "schema" / "sglang")
    fleet.commit()
    fleet.edit("schema/sglang/0.5.9.json", '"hicache-ratio"', '"hicache-share"')
    said = fleet.plan("--format", "json", "HEAD")
    assert said.code == 1
    assert said.json["causes"] == ["schema/sglang/0.5.9.json"]
    assert changes(said.json) == {SUBJECT: "unknown"}
    assert "FLG001" in codes(said.json, "new")
    # The other way round: the flag is known again, and between two commits no file of the checkout is read.
    fleet.commit()
    fleet.git("checkout", "-q", "HEAD~1")
    forth = fleet.data("main..main~1")
    assert changes(forth) == {}, "it runs what its committed unit says, and that is rendered again"
    assert "FLG001" in codes(forth, "gone")


def test_services_come_and_go(fleet: Fleet) -> None:
    fleet.edit(MIXED, "  sglang-draft:", "  sglang-other:")
    fleet.edit(MIXED, "max-running-requests: 64", "max-running-requests: 65")
    fleet.render()
    plan = fleet.data("HEAD")
    found = changes(plan)
    assert found["mixed-01/sglang-draft"] == "removed"
    assert found["mixed-01/sglang-other"] == "added"


def test_a_renamed_host_is_a_move(fleet: Fleet) -> None:
    for top in ("hosts", "units"):
        fleet.root.joinpath(top, "mixed-01").rename(fleet.root / top / "mixed-02")
    for path in ("hosts/mixed-02/host.yaml", "hosts/mixed-02/facts.yaml"):
        fleet.edit(path, "host: mixed-01", "host: mixed-02")
    fleet.render()
    plan = fleet.data("HEAD")
    assert changes(plan) == dict.fromkeys(
        ("mixed-01/sglang-chat", "mixed-01/sglang-draft", "mixed-02/sglang-chat", "mixed-02/sglang-draft"), "moved"
    )
    assert plan["summary"]["services"]["moved"] == 2
    assert reasons(plan, "mixed-02/sglang-chat") == ["moves from mixed-01/sglang-chat: the same process"]


def test_a_host_that_is_new_and_untracked_counts(fleet: Fleet) -> None:
    shutil.copytree(fleet.root / "hosts/llama-70b-01", fleet.root / "hosts/llama-70b-02")
    for name in ("host.yaml", "facts.yaml"):
        fleet.edit(f"hosts/llama-70b-02/{name}", "host: llama-70b-01", "host: llama-70b-02")
    fleet.write(".gitignore", "hosts/llama-70b-02\n")
    plan = fleet.data("HEAD")
    assert changes(plan) == {"llama-70b-02/sglang-llama": "added"}
    assert plan["hosts"][0]["presence"] == "added"
    assert codes(plan, "new") == ["RND001"]


def test_a_host_that_is_gone_is_removed(fleet: Fleet) -> None:
    fleet.git("rm", "-rq", "hosts/llama-70b-01", "units/llama-70b-01")
    plan = fleet.data("HEAD")
    assert changes(plan) == {"llama-70b-01/sglang-llama": "removed"}
    assert plan["hosts"][0]["presence"] == "removed"


def test_a_base_that_does_not_parse(fleet: Fleet) -> None:
    good = (fleet.root / KIMI).read_text()
    fleet.write(KIMI, "host: kimi-01\nservices: [\n")
    fleet.commit("broken")
    fleet.write(KIMI, good)
    said = fleet.plan("--format", "json", "HEAD")
    assert said.code == 0, "its committed unit tells what runs"
    assert "SRC001" in codes(said.json, "gone")
    assert said.json["hosts"][0]["notes"] == ["which services it has before cannot be read"]
    fleet.git("rm", "-rqf", "--cached", "units/kimi-01")
    fleet.git("commit", "-qm", "without its unit")
    plan = fleet.data("HEAD")
    assert changes(plan) == {SUBJECT: "unknown"}
    assert reasons(plan, SUBJECT) == ["what it was before cannot be read: it may restart"]


def test_a_head_that_does_not_parse_is_invalid(fleet: Fleet) -> None:
    fleet.write(KIMI, "host: kimi-01\nservices: [\n")
    said = fleet.plan("--format", "json", "HEAD")
    assert said.code == 1
    assert changes(said.json) == {SUBJECT: "unknown"}
    assert "SRC001" in codes(said.json, "new")


def test_the_unit_that_a_change_replaces_is_what_runs(fleet: Fleet) -> None:
    fleet.edit("units/kimi-01/sglang-kimi.service", "LimitNOFILE=65536", "LimitNOFILE=4096")
    fleet.commit("a unit that another version rendered")
    assert changes(fleet.data("HEAD")) == {}
    fleet.render()
    plan = fleet.data("HEAD")
    assert changes(plan) == {SUBJECT: "restarted"}
    assert reasons(plan, SUBJECT) == ["the committed unit was not what its specification renders to"]


def test_no_secret_is_in_any_form(fleet: Fleet) -> None:
    secret = "hunter2hunter2hunter2"
    fleet.edit(KIMI, "      port: 30000\n", f"      port: 30000\n      api-key: {secret}1\n")
    fleet.edit(KIMI, "      CUDA_HOME:", f"      HF_TOKEN: {secret}2\n      CUDA_HOME:")
    fleet.render()
    fleet.commit()
    fleet.edit(KIMI, f"{secret}1", f"{secret}3")
    fleet.edit(KIMI, f"{secret}2", f"{secret}4")
    fleet.edit(
        "units/kimi-01/sglang-kimi.service", "--port 30000 \\\n", f"--port 30000 \\\n --api-key \\\n {secret}5 \\\n"
    )
    for form in ("text", "json", "markdown"):
        said = fleet.plan("--format", form, "HEAD")
        assert "api-key changed (not shown)" in said.out
        assert "TOKEN changed (not shown)" in said.out
        assert secret not in said.out + said.errors


def test_a_repository_in_a_folder_of_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = Fleet.new(tmp_path / "fleet", capsys)
    shutil.rmtree(fleet.root / ".git")
    outer = Fleet(tmp_path, capsys)
    outer.git("init", "-q", "-b", "main")
    outer.write("hosts/another/host.yaml", "host: another\n")
    outer.commit()
    outer.write("hosts/another/host.yaml", "host: another # and not ours\n")
    fleet.edit(KIMI, *RATIO)
    plan = fleet.data("HEAD")
    assert changes(plan) == {SUBJECT: "restarted"}
    assert (plan["files"], plan["unchanged_hosts"]) == (1, 2)


def test_two_hundred_hosts_are_a_short_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = Fleet.new(tmp_path / "fleet", capsys, "llama-70b-01")
    for number in range(2, 201):
        for top in ("hosts", "units"):
            for file in fleet.root.joinpath(top, "llama-70b-01").iterdir():
                text = file.read_text().replace("llama-70b-01", f"llama-{number}")
                fleet.write(f"{top}/llama-{number}/{file.name}", text)
    fleet.render()
    fleet.commit()
    for file in fleet.root.glob("hosts/*/host.yaml"):
        file.write_text(file.read_text().replace("enable-metrics: true", "enable-metrics: false"))
    said = fleet.plan("--format", "markdown", "HEAD")
    assert "200 services on 200 hosts" in said.out
    assert "and 195 more of RND002" in said.out
    assert len(said.out) < 4000
    assert len(fleet.plan("HEAD").out) < 4000
    assert len(changes(fleet.data("HEAD"))) == 200


def gitlink(fleet: Fleet, path: str) -> None:
    """A commit of nowhere in the place of a folder, as `git submodule add` leaves it."""
    fleet.git("rm", "-rq", "--cached", "--ignore-unmatch", path)
    shutil.rmtree(fleet.root / path, ignore_errors=True)
    (fleet.root / path).mkdir()  # a checkout without --recurse-submodules has an empty folder
    fleet.git("update-index", "--add", "--cacheinfo", f"160000,{fleet.git('rev-parse', 'HEAD')},{path}")


@pytest.mark.parametrize("host", ["box-09", "kimi-01"])
def test_a_host_that_is_a_submodule_is_an_error_as_on_a_checkout(fleet: Fleet, host: str) -> None:
    """Added, and in the place of a host whose units are left over."""
    before = fleet.git("rev-parse", "HEAD")
    gitlink(fleet, f"hosts/{host}")
    worktree = fleet.plan("--format", "json", "HEAD")
    fleet.git("commit", "-qm", "a submodule")
    commits = fleet.plan("--format", "json", f"{before}..HEAD")
    assert commits.code == worktree.code == 1
    assert "SPC011" in codes(commits.json, "new")
    assert commits.json["findings"] == worktree.json["findings"]
    checked = json.loads(fleet.run("check", "--units", "--format", "json", host).out)
    assert codes(commits.json, "new") == [each["code"] for each in checked["findings"] if each["severity"] == "error"]
    assert "removed" not in changes(commits.json).values(), "nothing is known of what it serves"
    assert fleet.plan("HEAD").code == 0, "the same on both sides"
    fleet.write("fleet.yaml", (fleet.root / "fleet.yaml").read_text() + "# looked at\n")
    assert codes(fleet.data("HEAD"), "new") == []
    assert codes(fleet.data("HEAD"), "gone") == []


@pytest.mark.parametrize("path", ["schema/sglang", "schema/models"])
def test_data_that_becomes_a_submodule_has_every_host_looked_at(fleet: Fleet, path: str) -> None:
    fleet.write(f"{path}/note.md", "data\n")
    before = fleet.commit()
    gitlink(fleet, path)
    fleet.git("commit", "-qm", "a submodule")
    assert len(fleet.data(f"{before}..HEAD")["hosts"]) == 3


@pytest.mark.parametrize(
    ("new", "verdict", "said"),
    [
        ("tp-size: 4", "error", "4 ranks need as many GPUs, and there are 2 GPUs in gpus"),
        ("tp-size: 2\n      bogus-flag: 3", "error", "SGLang 0.5.23 has no flag bogus-flag"),
        ("tp-size: 2\n      cpu-offload-gb: 9", "unknown", "offloading of weights to the host, where each rank pins"),
    ],
)
def test_no_verdict_on_memory_goes_without_what_it_rests_on(fleet: Fleet, new: str, verdict: str, said: str) -> None:
    fleet.edit(MIXED, "tp-size: 2", new)
    (host,) = fleet.data("HEAD")["hosts"]
    (memory,) = [each["memory"]["after"] for each in host["services"] if each["service"] == "sglang-chat"]
    assert memory["verdict"] == verdict
    assert memory["said"][0].startswith(said)
    assert "memory: fits" not in fleet.plan("HEAD").out.partition("no change")[0]


def test_the_ram_of_a_host_is_not_known_where_one_service_is_not_counted(fleet: Fleet) -> None:
    """Whether nothing can be computed of it, or its specification cannot be read."""
    for flags, counted in (("device: cpu", ["sglang-kimi"]), ("tp-size: [", None), ("tp-size: 8\n    unit: 5", None)):
        fleet.edit(KIMI, "      hicache-ratio: 4.0", f"      hicache-ratio: 4.0\n      {flags}")
        ram = next(host for host in fleet.data("HEAD")["hosts"] if host["host"] == "kimi-01")["ram"]
        assert ram["before"]["uncounted"] == []
        if counted is not None:
            assert ram["after"]["uncounted"] == counted
        if ram["after"] is not None:
            assert (ram["after"]["pinned_bytes"], ram["after"]["left_bytes"], ram["after"]["fits"]) == (
                None,
                None,
                None,
            )
        said = fleet.plan("HEAD").out
        assert "→ 0.0" not in said
        fleet.git("checkout", "-q", "--", KIMI)
    fleet.edit(KIMI, "      hicache-ratio: 4.0", "      hicache-ratio: 4.0\n      device: cpu")
    words = "kimi-01: 333.6 → not known; what is left of 396.0 GiB is not known"
    assert words in fleet.plan("HEAD").out
    assert "| 333.6 | not known |" in fleet.plan("--format", "markdown", "HEAD").out


def test_new_services_of_different_models_are_entries_of_their_own(fleet: Fleet) -> None:
    for name, model in (("z00-01", "Qwen/Qwen3-8B"), ("z01-01", "deepseek-ai/DeepSeek-R1"), ("z02-01", "no/body")):
        flags = f"{{model-path: {model}}}"
        service = f'  chat: {{why: New, release: "0.5.12", python: /opt/python, flags: {flags}}}\n'
        fleet.write(f"hosts/{name}/host.yaml", f"host: {name}\nservices:\n{service}")
        card = '{index: 0, name: NVIDIA L40S, memory-mib: 46068, compute-capability: "8.9"}'
        fleet.write(f"hosts/{name}/facts.yaml", f"format: 1\nhost: {name}\ngpus: [{card}]\n")
    said = fleet.plan("HEAD").out
    entries = {
        name: said.partition(f"+ {name}/chat ")[2].partition("\n\n")[0] for name in ("z00-01", "z01-01", "z02-01")
    }
    assert "memory: fits" in entries["z00-01"]
    assert "memory: error: the weights do not fit" in entries["z01-01"]
    assert "memory: not computed: no/body" in entries["z02-01"]
