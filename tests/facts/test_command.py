"""`sgfleet facts` from outside."""

from __future__ import annotations

import json
import socket

import pytest

from facts.recorded import RecordedMachine
from sgfleet.cli.common import UsageError
from sgfleet.cli.main import main
from sgfleet.facts import machine
from sgfleet.facts.machine import Answer


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / "hosts" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(socket, "gethostname", lambda: "whatever.example.org")
    return tmp_path


@pytest.fixture
def on(monkeypatch):
    def _on(name):
        monkeypatch.setattr(machine, "LiveMachine", lambda: RecordedMachine.of(name))

    return _on


def test_writes_and_says_so(repository, on, capsys):
    on("pcie-8")
    assert main(["facts", "--host", "a"]) == 0
    assert capsys.readouterr().out == (
        "wrote hosts/a/facts.yaml: 8 × NVIDIA RTX PRO 6000 Blackwell Server Edition, 504 GiB RAM\n"
    )
    text = (repository / "hosts/a/facts.yaml").read_text()
    assert "GPU-0000" not in text
    assert main(["check", "--root", str(repository), "a"]) in (1, 3), "facts alone are no host"


def test_a_lost_gpu_is_an_error(repository, on, capsys):
    on("lost-gpu")
    assert main(["facts", "--host", "a"]) == 1
    assert "error: GPU 3:" in capsys.readouterr().err
    assert (repository / "hosts/a/facts.yaml").read_text().count("memory-mib") == 7


def without_gpus(name, *, left):
    """A recorded machine whose `nvidia-smi` and bus know only the first GPUs."""
    recorded = RecordedMachine.of(name)
    for words, answer in recorded.answers.items():
        if any("--query-gpu=index" in word for word in words):
            lines = answer.text.splitlines(keepends=True)
            recorded.answers[words] = Answer("".join(lines[:left]))
            for line in lines[left:]:
                address = line.split(",")[1].strip()[4:].lower()
                for path in [path for path in (*recorded.files, *recorded.links) if address in path.lower()]:
                    recorded.files.pop(path, None)
                    recorded.links.pop(path, None)
    return recorded


def test_fewer_gpus_need_a_word(repository, on, monkeypatch, capsys):
    on("pcie-8")
    assert main(["facts", "--host", "a"]) == 0
    path = repository / "hosts/a/facts.yaml"
    before = path.read_text()
    monkeypatch.setattr(machine, "LiveMachine", lambda: without_gpus("pcie-8", left=5))
    capsys.readouterr()
    assert main(["facts", "--host", "a"]) == 1
    out, err = capsys.readouterr()
    assert "error: 5 GPUs are seen, and the file has 8\n" in err
    assert "error: nothing is written to hosts/a/facts.yaml: give --fewer-gpus where they are gone for good\n" in err
    assert out == ""
    assert path.read_text() == before
    assert main(["facts", "--host", "a", "--fewer-gpus"]) == 0
    assert path.read_text().count("memory-mib") == 5


def test_another_machine_needs_a_word(repository, on, capsys):
    on("pcie-8")
    assert main(["facts", "--host", "a"]) == 0
    path = repository / "hosts/a/facts.yaml"
    path.write_text(path.read_text() + 'observed:\n  chat: {release: "0.5.9", kv-tokens: 5}\n')
    before = path.read_text()
    on("no-gpu")
    for word in ((), ("--fewer-gpus",), ("--format", "json")):
        capsys.readouterr()
        assert main(["facts", "--host", "a", *word]) == 1
        out, err = capsys.readouterr()
        assert ("0 GPUs are seen, and the file has 8" in err) == (word != ("--fewer-gpus",))
        assert "error: 23.54 GiB of RAM are here, and the file has 503" in err
        assert "give --replaced where this machine is a now all the same" in err
        assert path.read_text() == before
        assert (json.loads(out)["written"] is None) if word == ("--format", "json") else out == ""
    assert main(["facts", "--host", "a", "--stdout"]) == 1
    out, err = capsys.readouterr()
    assert "gpus: []" in out, "what the machine is can be looked at"
    assert "nothing is written" not in err
    assert main(["facts", "--host", "a", "--replaced"]) == 0
    assert "observe anew" in capsys.readouterr().err
    assert "gpus: []" in path.read_text()


def test_what_is_not_on_the_new_machine_is_taken_out_and_named(repository, on, capsys):
    on("pcie-8")
    (repository / "here").mkdir()
    assert main(["facts", "--host", "a"]) == 0
    path = repository / "hosts/a/facts.yaml"
    gone = [f"{repository}/gone/{name}" for name in ("one", "two")]
    entries = "".join(f"  - {{path: {each}, layers: 2}}\n" for each in (*gone, repository / "here"))
    environments = 'environments:\n  - {python: /nowhere/at/all/python3, release: "0.5.9"}\n'
    path.write_text(f"{path.read_text()}{environments}checkpoints:\n{entries}")
    capsys.readouterr()
    assert main(["facts", "--host", "a"]) == 0
    assert "taken out" not in capsys.readouterr().err
    assert gone[0] in path.read_text(), "a folder that is not mounted now"
    on("no-gpu")
    assert main(["facts", "--host", "a", "--replaced"]) == 0
    err = capsys.readouterr().err
    assert f"note: checkpoints: {gone[0]}, {gone[1]} are not on this machine: taken out of the file\n" in err
    assert "note: environments: /nowhere/at/all/python3 is not on this machine: taken out of the file\n" in err
    text = path.read_text()
    assert "gone" not in text
    assert "nowhere" not in text
    assert f"{repository}/here" in text


def test_a_machine_that_is_another_host_by_its_name(repository, on, monkeypatch, capsys):
    on("pcie-8")
    (repository / "hosts/b").mkdir()
    monkeypatch.setattr(socket, "gethostname", lambda: "b.example.org")
    assert main(["facts", "--host", "a"]) == 1
    err = capsys.readouterr().err
    assert "error: this machine is called b, and hosts/b/ is another host" in err
    assert "give --host b, or --replaced where this machine is a now all the same" in err
    assert not (repository / "hosts/a/facts.yaml").exists()
    assert main(["facts", "--host", "b"]) == 0
    assert main(["facts", "--host", "a", "--replaced"]) == 0


def test_a_host_that_is_new_needs_a_word(repository, on, monkeypatch, capsys):
    on("no-gpu")
    (repository / "hosts/gpu-01").mkdir()
    with pytest.raises(UsageError, match="there is no hosts/gpu-1/") as error:
        main(["facts", "--host", "gpu-1"])
    assert error.value.help == "did you mean gpu-01? --new makes hosts/gpu-1/ for a host that is new"
    with pytest.raises(UsageError) as error:
        main(["facts", "--host", "zzz"])
    assert error.value.help == "--new makes hosts/zzz/ for a host that is new"
    assert sorted(path.name for path in (repository / "hosts").iterdir()) == ["a", "gpu-01"]
    assert main(["facts", "--host", "gpu-1", "--new"]) == 0
    assert (repository / "hosts/gpu-1/facts.yaml").exists()
    monkeypatch.setattr(socket, "gethostname", lambda: "own")
    assert main(["facts", "--new"]) == 0
    assert (repository / "hosts/own/facts.yaml").exists()


def test_unknown_gpus_are_no_success(repository, on, capsys):
    on("missing-driver")
    assert main(["facts", "--host", "a"]) == 1
    assert "unknown: gpus: 2 NVIDIA GPU(s), held by no module" in capsys.readouterr().err


def test_what_this_user_may_not_look_at_is_told_as_unknown(repository, monkeypatch, capsys):
    from cli.test_upgrade import HOST

    recorded = RecordedMachine.of("pcie-8")
    recorded.shut_at["/opt"] = "permission denied"
    monkeypatch.setattr(machine, "LiveMachine", lambda: recorded)
    (repository / "hosts/a/host.yaml").write_text(HOST.replace("host: h", "host: a"))
    assert main(["facts", "--host", "a", "--stdout", "--format", "json"]) == 0
    unknown = json.loads(capsys.readouterr().out)["unknown"]
    assert unknown["environments./opt/sglang-0.5.9/bin/python3"] == "cannot be looked at: permission denied"


def test_json_and_stdout_write_nothing(repository, on, capsys):
    on("mig")
    assert main(["facts", "--host", "a", "--stdout", "--format", "json", "--with-ids"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["written"] is None
    assert answer["facts"]["gpus"][0]["mig-instances"][0]["uuid"].startswith("MIG-")
    assert not (repository / "hosts/a/facts.yaml").exists()


def test_the_hostname_names_the_host(repository, on, monkeypatch, capsys):
    on("no-gpu")
    monkeypatch.setattr(socket, "gethostname", lambda: "a.example.org")
    assert main(["facts"]) == 0
    monkeypatch.setattr(socket, "gethostname", lambda: "other")
    with pytest.raises(UsageError, match="no hosts/other/"):
        main(["facts"])


@pytest.mark.parametrize("name", ["../b", "A", "a/b", "a" * 64])
def test_names_that_are_none(repository, on, name):
    on("no-gpu")
    with pytest.raises(UsageError, match="is not a host name"):
        main(["facts", "--host", name])


def test_a_wrong_file_is_left_alone(repository, on):
    on("no-gpu")
    path = repository / "hosts/a/facts.yaml"
    path.write_text("format: 1\nhost: a\ngpu: []\n")
    with pytest.raises(UsageError, match=r"facts\.yaml:3: unknown key"):
        main(["facts", "--host", "a"])
    assert path.read_text() == "format: 1\nhost: a\ngpu: []\n"


def test_a_symbolic_link_is_not_followed(repository, on, tmp_path):
    on("no-gpu")
    outside = tmp_path / "outside"
    outside.write_text("")
    (repository / "hosts/a/facts.yaml").symlink_to(outside)
    with pytest.raises(UsageError):
        main(["facts", "--host", "a"])
    assert outside.read_text() == ""


def test_to_look_needs_no_host(repository, on, capsys):
    on("no-gpu")
    for words in ((), ("--host", "b")):
        assert main(["facts", "--stdout", *words]) == 0
    assert "host: whatever\n" in capsys.readouterr().out
    assert [path.name for path in (repository / "hosts").iterdir()] == ["a"]


def test_of_all_that_is_in_a_folder_only_folders_are_models(repository, on, capsys):
    on("no-gpu")
    (repository / "m").mkdir()
    (repository / "notes.txt").write_text("")
    paths = [str(repository / name) for name in ("m", "notes.txt")]
    assert main(["facts", "--host", "a", "--models", *paths]) == 0
    out, err = capsys.readouterr()
    assert out.endswith(", 1 model folder\n")
    assert f"note: {paths[1]} is no folder: it was not looked at\n" in err
    assert "notes.txt" not in (repository / "hosts/a/facts.yaml").read_text()


def test_without_a_repository_it_prints(tmp_path, on, monkeypatch, capsys):
    on("no-gpu")
    monkeypatch.chdir(tmp_path)
    assert main(["facts", "--host", "a", "--stdout"]) == 0
    assert "gpus: []" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no repository"):
        main(["facts", "--host", "a"])


def test_what_the_services_name_is_looked_at(repository, on, capsys):
    on("no-gpu")
    python, model = repository / "e/bin/python3", repository / "m"
    python.parent.mkdir(parents=True)
    python.write_text("")
    model.mkdir()
    (repository / "hosts/a/host.yaml").write_text(
        "host: a\nservices:\n  chat:\n"
        f'    release: "0.5.9"\n    python: {python}\n    flags: {{model-path: {model}}}\n'
        f'  far:\n    release: "0.5.9"\n    python: /not/here/bin/python3\n    flags: {{model-path: org/name}}\n'
    )
    assert main(["facts", "--host", "a", "--stdout", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)["facts"]
    assert facts["environments"] == [{"python": str(python)}]
    assert facts["checkpoints"] == [{"path": str(model)}]
