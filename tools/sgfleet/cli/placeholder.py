"""The host that `init` begins with: a placeholder, which `import` recognizes as long as nobody has touched it."""

from __future__ import annotations

import re
from typing import Final

from sgfleet.spec.placeholder import MODEL, WHY

SERVICE: Final = "sglang"
_HOST: Final = """\
host: {host}

services:
  sglang:                         # -> units/{host}/sglang.service
    why: {why}
    release: "{release}"             # the SGLang release that runs there, in quotes
    python: /opt/sglang/bin/python3    # the interpreter of its environment on the host
    gpus: all                     # or a list, such as [0, 1]
    user: sglang
    flags:                        # as on the command line, without the dashes
      model-path: {model}    # no model: put the folder of one in its place, or a name on Hugging Face
      served-model-name: model
      host: 127.0.0.1
      port: 30000
    start:
      budget: 15m                 # from the start of the process to the first generated token
"""
_SCHEMA: Final = re.compile(r"\A# yaml-language-server: .*\n")
_RELEASE: Final = re.compile(r'^    release: "([0-9a-z.]+)" ', re.MULTILINE)


def placeholder(host: str, release: str) -> str:
    """The text of a host.yaml to be filled in."""
    return _HOST.format(host=host, release=release, model=MODEL, why=WHY)


def is_untouched(text: str, host: str) -> bool:
    """Whether a host.yaml still is what `init` wrote, with or without the line for editors."""
    release = _RELEASE.search(text)
    return release is not None and _SCHEMA.sub("", text) == placeholder(host, release[1])
