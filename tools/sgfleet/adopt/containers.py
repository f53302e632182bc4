"""`docker run` and `podman run`: what of a container's command line a service on the host can say."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Final

from sgfleet.adopt.start import Refused

if TYPE_CHECKING:
    from sgfleet.adopt.start import Start

PROGRAMS: Final = frozenset({"docker", "podman", "nerdctl"})
_OF_NO_CONCERN: Final = frozenset(
    [
        "-d",
        "--detach",
        "-i",
        "--interactive",
        "-t",
        "--tty",
        "-it",
        "-ti",
        "-dit",
        "-itd",
        "--rm",
        "--init",
        "--privileged",
        "-q",
        "--quiet",
    ]
)
"""Switches that say how a container is run, and nothing of the service."""
_SWITCHES: Final = _OF_NO_CONCERN | frozenset(
    ["--read-only", "--no-healthcheck", "-P", "--publish-all", "--oom-kill-disable", "--sig-proxy"]
)
_OF_CONTAINER: Final = _OF_NO_CONCERN | frozenset(
    [
        "--ipc",
        "--shm-size",
        "--network",
        "--net",
        "--pull",
        "--runtime",
        "--platform",
        "--label",
        "-l",
        "--log-driver",
        "--log-opt",
        "--hostname",
        "-h",
        "--security-opt",
        "--cap-add",
        "--stop-timeout",
    ]
)
_RESTART: Final = {"no": "no", "always": "always", "unless-stopped": "always", "on-failure": "on-failure"}
_VERSION: Final = re.compile(r"v?([0-9]+\.[0-9]+\.[0-9]+(?:\.post[0-9]+)?)(?:-.*)?")
_HUB_CACHE: Final = "/root/.cache/huggingface"
_LONGEST_PATH: Final = 4096
_SHOWN_USER: Final = re.compile(r"[A-Za-z0-9_.-]{1,32}(?::[A-Za-z0-9_.-]{1,32})?")
_SIZE: Final = re.compile(r"([0-9]+)([bkmg]?)b?", re.IGNORECASE)


def take(start: Start) -> None:
    """Replace the container's start by the command inside of it.

    Raises:
        Refused: it is another subcommand, or there is no command behind the image.
    """
    words = start.words[1:]
    if words[:1] == ["container"]:
        words = words[1:]
    if words[:1] != ["run"]:
        raise Refused(f"a container's {words[0] if words else 'program'}, not its run", "import the line that runs it")
    rest = deque(words[1:])
    start.paths = {}
    ports: dict[str, str] = {}
    start.told.notes.append(
        "the container: the service runs on the host itself, with the environment that python names"
    )
    entrypoint: list[str] = []
    while rest and rest[0].startswith("-"):
        option, equals, value = rest.popleft().partition("=")
        if not option.startswith("--") and len(option) > 2 and option not in _SWITCHES:  # -p30000:30000
            option, value, equals = option[:2], words_value(option, equals, value), "="
        if option not in _SWITCHES and not equals:
            if not rest:
                raise Refused(f"{option} of the container has no value")
            value = rest.popleft()
        if option == "--entrypoint":
            entrypoint = [value]
        else:
            _option(start, option, value, ports)
    if not rest:
        raise Refused("the container has no image")
    image, *inside = rest
    tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
    if found := _VERSION.fullmatch(tag):
        start.release = start.release or found[1]
    start.words = [*entrypoint, *inside]
    start.spec.pop("python", None)
    if not start.words:
        raise Refused("the image's own command starts the server, which is not known here", "name it behind the image")
    _publish(start, ports)


def words_value(option: str, equals: str, value: str) -> str:
    """The value that is written onto a short option."""
    return f"{option[2:]}{equals}{value}"


def _option(start: Start, option: str, value: str, ports: dict[str, str]) -> None:
    told, unit = start.told, start.spec.setdefault("unit", {})
    if (take_value := _TAKEN.get(option)) is not None:
        take_value(start, value)
    elif option == "--env-file" and value.startswith("/"):
        start.spec.setdefault("environment-files", []).append(value)
    elif option in ("-p", "--publish"):
        *_, outside, inside = ["", *value.split("/")[0].split(":")]
        ports[inside] = outside or inside
    elif option == "--name":
        start.name = start.name or value
    elif option in ("-w", "--workdir"):
        start.spec["working-directory"] = on_host(start, value)
    elif option == "--restart" and value.partition(":")[0] in _RESTART:
        unit["restart"] = _RESTART[value.partition(":")[0]]
    elif option in ("-m", "--memory") and (size := _SIZE.fullmatch(value)):
        unit["memory-max"] = size[1] + {"": "B", "b": "B", "k": "KiB", "m": "MiB", "g": "GiB"}[size[2].lower()]
    elif option == "--ulimit" and value.partition("=")[0] in ("memlock", "nofile", "stack"):
        _ulimit(start, *value.partition("=")[::2])
    elif option not in _OF_CONTAINER:
        told.lost.append(f"{option} of the container")


def _user(start: Start, value: str) -> None:
    """An account of the image, by number or by a name that means something else on the host."""
    shown = value if _SHOWN_USER.fullmatch(value) else "another account"
    start.told.todo.append(
        f"user: the container ran as {shown}; name an account of the host in `user:`: without one it runs as root"
    )


def _variable(start: Start, value: str) -> None:
    name, equals, text = value.partition("=")
    if equals:
        start.environment[name] = text
    else:
        start.told.todo.append(f"{name}: its value comes from the shell that started the container; add it")


def _ulimit(start: Start, name: str, value: str) -> None:
    soft = value.partition(":")[0]
    unit = start.spec["unit"]
    if name == "memlock" and soft == "-1":
        unit["limit-memlock"] = "infinity"
    elif name == "nofile" and soft.isdecimal() and 1024 <= int(soft) <= 2**30:
        unit["limit-nofile"] = int(soft)
    else:
        start.told.lost.append(f"--ulimit {name} of the container")


def _volume(start: Start, value: str) -> None:
    if "=" in value:
        fields = dict(each.partition("=")[::2] for each in value.split(","))
        outside = fields.get("source", fields.get("src", ""))
        inside = fields.get("target", fields.get("destination", fields.get("dst", "")))
    else:
        outside, _, rest = value.partition(":")
        inside = rest.partition(":")[0]
    if outside.startswith("/") and inside.startswith("/"):
        start.paths[inside.rstrip("/") or "/"] = outside.rstrip("/") or "/"
        if inside.rstrip("/") == _HUB_CACHE:
            start.environment.setdefault("HF_HOME", outside)
    else:
        start.told.lost.append("a volume that is no folder of the host")


def _gpus(start: Start, value: str) -> None:
    named = value.strip("\"'")
    if named == "all":
        start.spec["gpus"] = "all"
    elif found := re.fullmatch(r"device=([0-9]+(?:,[0-9]+)*)", named):
        start.spec["gpus"] = [int(each) for each in found[1].split(",")]
    else:
        start.told.lost.append("--gpus of the container: which ones is not said")


_TAKEN: Final = {
    "-e": _variable,
    "--env": _variable,
    "-v": _volume,
    "--volume": _volume,
    "--mount": _volume,
    "--gpus": _gpus,
    "-u": _user,
    "--user": _user,
}


def _publish(start: Start, ports: dict[str, str]) -> None:
    """A service listens on the host itself: the port that was published is its own."""
    said: dict[str, int] = {}
    for at, word in enumerate(start.words):
        if word == "--port" and at + 1 < len(start.words):
            said.setdefault(start.words[at + 1], at + 1)
        elif word.startswith("--port="):
            said.setdefault(word.removeprefix("--port="), at)
    for inside, outside in ports.items():
        if inside == outside:
            continue
        if (found := said.get(inside)) is not None:
            start.words[found] = start.words[found].removesuffix(inside) + outside
            start.told.notes.append(f"port {inside} in the container is {outside} on the host")
            return
        start.told.lost.append(f"port {inside} of the container as {outside} on the host: the server does not say it")


def on_host(start: Start, path: str) -> str:
    """A container's path as the host has it."""
    if not path.startswith("/") or len(path) > _LONGEST_PATH:
        return path
    end = len(path)
    while end > 0:  # the longest folder of the container that holds it counts
        if (folder := path[:end]) != "/" and folder in start.paths:
            return start.paths[folder].rstrip("/") + path[end:]
        end = path.rfind("/", 0, end)
    return start.paths["/"].rstrip("/") + path if "/" in start.paths else path
