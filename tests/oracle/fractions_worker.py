"""Runs inside the oracle's own environment, one process a release: the memory fraction that a release chooses.

    python -I fractions_worker.py FOLDER CASES        FOLDER holds the unpacked `sglang` package of one wheel

CASES is a file with a JSON list of {words, memory_mib, latent, tower}: a command line, the card's memory, whether the
model has MLA, and layers and width of its vision tower (null without one). The answer is a JSON list of fractions, with
null where the release refuses the command line.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))

import startup_worker as worker  # noqa: E402  (the folder above is what makes it importable in isolated mode)

worker.FALSE = tuple(name for name in worker.FALSE if name != "is_multimodal_model")
case = {}
dense = worker.model


def model(*args, **kwargs):
    """The case's model."""
    made = dense()
    tower = case.get("tower")
    made.is_multimodal = tower is not None
    made.hf_config = worker.Quiet(**worker.LLAMA.__dict__)
    made.hf_config.vision_config = SimpleNamespace(num_hidden_layers=tower[0], hidden_size=tower[1]) if tower else None
    forms = getattr(sys.modules.get("sglang.srt.configs.model_config"), "AttentionArch", None)
    if forms is not None:
        made.attention_arch = forms.MLA if case.get("latent") else forms.MHA
    return made


class Fractions(worker.Startup):
    """A release's choice of a memory fraction."""

    def ask_fraction(self, words):
        """The fraction, None where the command line is refused."""
        try:
            namespace = self.parser.parse_args(["--model-path", "m/x", *words])
            made = self.arguments.from_cli_args(namespace)
            worker.answer_for_the_machine()
            if hasattr(made, "resolve_once"):
                made.resolve_once()
            elif made.mem_fraction_static is None and hasattr(made, "__post_init__"):
                made.__post_init__()
        except (Exception, SystemExit):
            return None
        module = sys.modules["sglang.srt.server_args"]
        if hasattr(module, "resolution_result"):
            return module.resolution_result(made, "mem_fraction_static")
        if hasattr(module, "resolving_view"):
            return module.resolving_view(made).mem_fraction_static
        return made.mem_fraction_static


def main():
    """Answer every case of the file."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever the release prints is not an answer
    worker.model = model
    fractions = Fractions(sys.argv[1])
    if hasattr(fractions.arguments, "use_mla_backend"):
        fractions.arguments.use_mla_backend = lambda itself: bool(case.get("latent"))
    found = []
    for asked in json.loads(Path(sys.argv[2]).read_text()):
        case.clear()
        case.update(asked)
        worker.MEMORY_MIB = asked["memory_mib"]
        found.append(fractions.ask_fraction(asked["words"]))
    json.dump(found, answers)


if __name__ == "__main__":
    main()
