"""How an example of a rule's docstring becomes a repository.

An example is what one "Bad" or "Good" section holds in ```yaml fences. Every fence is one file, written as an operator
would write it, and as little of it as shows the point; the rest is filled in here.

- Which file a fence is, its first line may say: `# host.yaml`, `# fleet.yaml`, `# facts.yaml`. Otherwise its top-level
  keys do: with `services` it is a host.yaml; with `policy` or `defaults` a fleet.yaml; with `gpus` beside `memory`,
  `format`, `checkpoints` or `observed` a facts.yaml; anything else is a *fragment* of one service.
- A first line such as `# hosts/kimi_01/host.yaml` names a path: the file stands there as it is, and an example that has
  such a fence gets no other file. That is how rules about the layout of a repository show what they mean.
- A fragment becomes the service `example` of host `example-01`, word for word. What it leaves out comes from `BASE`,
  which stands in the host's `defaults:`, so that the fragment is merged as the product merges: `release: null` in the
  fragment takes away the release of BASE.
- A host.yaml gets a first line `host: example-01` unless it says another name, and BASE as `defaults:` unless it has
  some.
- A facts.yaml gets `format: 1` and `host:` unless it has them.
- A first line that names a whole path (`# hosts/kimi-01/facts.yml`) makes the fence that file, as it stands.
- An example without a host gets the host `example-01` with the empty fragment, unless it names a whole path; one
  without facts has none.
- For rules of the stage "source" a fence is the file itself, byte for byte: nothing is filled in.

The folder of the host is named after `host:` of its host.yaml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgfleet.rules.manual import Example
    from sgfleet.rules.rule import Stage

BASE = """\
defaults:
  release: "0.5.9"
  python: /opt/sglang-0.5.9/bin/python3
  flags:
    model-path: /models/example
"""
HOST = "example-01"
SERVICE = "example"

_KEY = re.compile(r"^([a-z][a-z0-9-]*):", re.MULTILINE)
_NAMED = re.compile(r"# (host|fleet|facts)\.yaml\s*\n")
_PATH = re.compile(r"# ((?:[A-Za-z0-9._-]+/)+[A-Za-z0-9._-]+)\s*\n")
_PATH = re.compile(r"# ((?:hosts|schema|units)/[\w./-]+)\s*\n")


@dataclass(slots=True)
class Repository:
    """Path -> text, and the lines (from 1) of each file that stand in the docstring."""

    files: dict[str, str] = field(default_factory=dict)
    shown: dict[str, range] = field(default_factory=dict)
    host: str = HOST

    def put(self, path: str, before: str, text: str, indent: str = "") -> None:
        """Add a file: lines of ours, then those of the example."""
        first = before.count("\n") + 1
        body = "".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))
        self.files[path] = before + body
        self.shown[path] = range(first, first + text.count("\n"))


def kind(fence: str) -> str:
    """host, fleet, facts, fragment, or a whole path."""
    if path := _PATH.match(fence):
        return path[1]
    if named := _NAMED.match(fence):
        return named[1]
    keys = set(_KEY.findall(fence))
    if "services" in keys:
        return "host"
    if keys & {"policy", "defaults"}:
        return "fleet"
    if "gpus" in keys and keys & {"memory", "format", "checkpoints", "observed"}:
        return "facts"
    return "fragment"


def complete(example: Example, stage: Stage) -> Repository:
    """The repository that an example stands for."""
    made = Repository()
    fences = {kind(fence): fence for fence in example.files}
    assert len(fences) == len(example.files), "two fences of one example are the same file"
    for path in [name for name in fences if "/" in name]:
        made.put(path, "", fences.pop(path))
    raw = stage == "source"
    host = fences.get("host", fences.get("fragment") if raw else None)
    if host is not None and (named := re.search(r"^host: *[\"']?([a-z0-9-]+)[\"']? *$", host, re.MULTILINE)):
        made.host = named[1]
    path = f"hosts/{made.host}/host.yaml"
    if raw and host is not None:
        made.put(path, "", host)
    elif host is not None:
        keys = set(_KEY.findall(host))
        before = "" if "host" in keys else f"host: {made.host}\n"
        made.put(path, before + ("" if "defaults" in keys else BASE), host)
    elif "fragment" in fences or not made.files:
        fragment = fences.get("fragment", "")
        before = f"host: {made.host}\n{BASE}services:\n"
        made.put(path, before + (f"  {SERVICE}:\n" if fragment.strip() else f"  {SERVICE}: {{}}\n"), fragment, "    ")
    if fleet := fences.get("fleet"):
        made.put("fleet.yaml", "", fleet)
    if facts := fences.get("facts"):
        keys = set(_KEY.findall(facts)) if not raw else {"format", "host"}
        before = "".join(
            line for key, line in (("format", "format: 1\n"), ("host", f"host: {made.host}\n")) if key not in keys
        )
        made.put(f"hosts/{made.host}/facts.yaml", before, facts)
    return made
