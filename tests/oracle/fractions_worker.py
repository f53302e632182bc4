"""Runs inside the oracle's own environment, one process a release: memory fraction and page size that it chooses.

    python -I fractions_worker.py FOLDER CASES        FOLDER holds the unpacked `sglang` package of one wheel

CASES is a file with a JSON list of {words, memory_mib, capability, latent, tower}: a command line, the card's memory
and compute capability, whether the model has MLA, and layers and width of its vision tower (null without one). The
answer is a JSON list of [fraction, page size], with null where the release refuses the command line.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))

import startup_worker as worker  # the folder above is what makes it importable in isolated mode

GENERATIONS = {
    9: ("is_sm90_supported", "is_hopper_with_cuda_12_3"),
    10: ("is_sm100_supported", "is_blackwell_supported", "is_blackwell"),
    12: ("is_sm120_supported", "is_blackwell_supported", "is_blackwell"),
}
"""What releases ask of the card, and the major compute capability that it is true for."""
ASKED = {name for names in GENERATIONS.values() for name in names}
ALWAYS = tuple(name for name in worker.TRUE if name not in {*ASKED, "is_no_spec_infer_or_topk_one"})
NEVER = tuple(name for name in worker.FALSE if name not in {*ASKED, "is_multimodal_model"})
case = {}
dense = worker.model


def pretend_card(major, minor):
    """Answer as a card of this compute capability from now on."""
    there = GENERATIONS.get(major, ())
    worker.CAPABILITY = (major, minor)
    worker.TRUE = (*ALWAYS, *there)
    worker.FALSE = (*NEVER, *ASKED.difference(there))


def model(*args, **kwargs):
    """The case's model."""
    made = dense()
    tower = case.get("tower")
    made.is_multimodal = tower is not None
    made.hf_config = worker.Quiet(**worker.LLAMA.__dict__)
    if case.get("latent"):
        made.hf_config.architectures = ["DeepseekV3ForCausalLM"]
    made.hf_config.vision_config = SimpleNamespace(num_hidden_layers=tower[0], hidden_size=tower[1]) if tower else None
    forms = getattr(sys.modules.get("sglang.srt.configs.model_config"), "AttentionArch", None)
    if forms is not None:
        made.attention_arch = forms.MLA if case.get("latent") else forms.MHA
    return made


NAMES = ("mem_fraction_static", "page_size")


class Memory(worker.Startup):
    """A release's choice of a memory fraction and a page size."""

    def ask_memory(self, words):
        """Fraction and page size, None where the command line is refused."""
        worker.answer_for_the_machine()
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
            return [module.resolution_result(made, name) for name in NAMES]
        of = made
        for view in ("resolving_view", "resolved_view"):
            if hasattr(module, view):
                of = getattr(module, view)(made)
                break
        return [getattr(of, name, None) for name in NAMES]


def main():
    """Answer every case of the file."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever the release prints is not an answer
    worker.model = model
    memory = Memory(sys.argv[1])
    if hasattr(memory.arguments, "get_hf_config"):
        memory.arguments.get_hf_config = lambda itself: model().hf_config
    if hasattr(memory.arguments, "use_mla_backend"):
        memory.arguments.use_mla_backend = lambda itself: bool(case.get("latent"))
    found = []
    for asked in json.loads(Path(sys.argv[2]).read_text()):
        case.clear()
        case.update(asked)
        worker.MEMORY_MIB = asked["memory_mib"]
        pretend_card(*asked["capability"])
        found.append(memory.ask_memory(asked["words"]))
    json.dump(found, answers)


if __name__ == "__main__":
    main()
