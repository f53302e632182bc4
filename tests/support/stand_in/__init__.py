"""A stand-in for SGLang that a rendered unit starts unchanged: `PYTHON -m sglang.launch_server --model-path … flags`.

    python = environment(tmp_path / "sglang-0.5.9", "0.5.9")        # for `python:` of the spec
    control(model_path, fault="stall", load_seconds=2)              # before a start, or while it runs

Its flags are those of the release, read by sgfleet's own engine (a bad one exits 2, as argparse does), and so are its
too, and it loads, holds memory and fails as it is told: `behaviour.Behaviour` lists everything.

environment   the folder of a Python environment whose interpreter is the stand-in
behaviour     what it is told, by STAND_IN_… variables and a control file in the folder of the model
engine        the process: arguments, load, server, end
load          what a load shows: memory, processor time, log lines, and the faults of that phase
serve         the HTTP server of a release
running       one that runs, for tests without systemd
"""
