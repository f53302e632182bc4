"""Runs inside the oracle's own environment, one process a release: what a release's start-up makes of its arguments.

    python -I startup_worker.py FOLDER CASES        FOLDER holds the unpacked `sglang` package of one wheel

CASES is a file with a JSON list of [command line, environment]. For each of them the release's own code parses the
command line, resolves its arguments and checks them, up to the point where it would load a model. What it asks of the
machine and of the model is answered here: CUDA with eight GPUs of 80 GB and compute capability 9.0, and a dense Llama.
The answer is a JSON list: "starts", "refuses" (an exception after parsing), or "no-flag" (the parser refuses).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

import stubs  # noqa: E402  (the folder above is what makes it importable in isolated mode)

CAPABILITY = (9, 0)
MEMORY_MIB = 81_559
TRUE = ("is_cuda", "is_host_cpu_x86", "is_flashinfer_available", "is_triton_kernels_available", "is_port_available",
        "is_sm90_supported", "is_hopper_with_cuda_12_3", "is_no_spec_infer_or_topk_one",
        "is_fa3_default_architecture")  # fmt: skip
FALSE = ("is_hip", "is_npu", "is_hpu", "is_xpu", "is_cpu", "is_cpu_amx_available", "is_mps", "is_musa", "is_remote_url",
         "is_valid_ipv6_address", "is_blackwell_supported", "is_sm100_supported", "is_sm120_supported",
         "is_blackwell", "is_multimodal_model")  # fmt: skip


class Quiet(SimpleNamespace):
    """A namespace in which what nobody set is None."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

    def to_dict(self):
        return dict(self.__dict__)

    def get_text_config(self):
        return self


LLAMA = Quiet(
    architectures=["LlamaForCausalLM"], model_type="llama", hidden_size=4096, num_attention_heads=32,
    num_key_value_heads=8, num_hidden_layers=32, torch_dtype="bfloat16", vocab_size=32000,
    max_position_embeddings=131072, intermediate_size=14336, head_dim=128,
)  # fmt: skip


def model(*args, **kwargs):
    """The model's configuration, whoever asks for it."""
    return Quiet(
        hf_config=LLAMA, hf_text_config=LLAMA, context_len=131072, is_multimodal=False, is_generation=True,
        is_encoder_decoder=False, is_hybrid_swa=False, is_hybrid=False, num_attention_heads=32, num_hidden_layers=32,
        head_dim=128, v_head_dim=128, hidden_size=4096, dtype="bfloat16", num_key_value_heads=8, is_embedding=False,
        has_attention_sinks=False, is_local_attention_model=False, swa_attention_layer_ids=[],
        full_attention_layer_ids=[], model_path="m", get_num_kv_heads=lambda tp: max(1, 8 // tp),
        get_total_num_kv_heads=lambda: 8, get_total_num_attention_heads=lambda: 32,
    )  # fmt: skip


class Cuda:
    """`torch.cuda` of the machine that the release is to believe in."""

    is_available = staticmethod(lambda: True)
    get_device_capability = staticmethod(lambda *args: CAPABILITY)
    get_device_name = staticmethod(lambda *args: "NVIDIA H100")
    device_count = staticmethod(lambda: 8)
    current_device = staticmethod(lambda: 0)
    mem_get_info = staticmethod(lambda *args: (80 * 2**30, 80 * 2**30))

    @staticmethod
    def get_device_properties(*args):
        return SimpleNamespace(
            total_memory=80 * 2**30, major=CAPABILITY[0], minor=CAPABILITY[1], multi_processor_count=132, name="H100"
        )

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stubs.inert(name)


def pretend():
    """Third-party stand-ins, with a torch that has CUDA; folders of kernels are taken for there."""
    stubs.ABSENT.add("hip")
    stubs._InertType.register = lambda cls, *args, **kwargs: (
        (lambda made: made) if args and isinstance(args[0], str) else args[0] if args else cls
    )
    stubs.install()
    there = Path.exists
    Path.exists = lambda self, **kwargs: self.name in ("include", "csrc") or there(self, **kwargs)
    import torch

    torch.cuda = Cuda()
    torch.version = SimpleNamespace(cuda="12.9", hip=None, xpu=None, git_version="x")
    torch.__version__ = "2.9.1+cu129"
    absent = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
    torch.xpu = torch.hpu = torch.musa = absent
    cudnn = SimpleNamespace(version=lambda: 91500, enabled=True)
    torch.backends = SimpleNamespace(mps=absent, cudnn=cudnn, cuda=stubs.inert("cuda"))


def answer_for_the_machine():
    """Put our answers in every module of the release that asks; modules that come later are asked again."""
    answers = {name: lambda *args, **kwargs: True for name in TRUE}
    answers |= {name: lambda *args, **kwargs: False for name in FALSE}
    for name in ("get_device_memory_capacity", "get_amdgpu_memory_capacity", "get_nvgpu_memory_capacity"):
        answers[name] = lambda *args, **kwargs: MEMORY_MIB
    answers |= {
        "get_device": lambda *args, **kwargs: "cuda",
        "get_device_name": lambda *args, **kwargs: "NVIDIA H100",
        "get_device_capability": lambda *args, **kwargs: CAPABILITY,
        "get_device_sm": lambda *args, **kwargs: CAPABILITY[0] * 10 + CAPABILITY[1],
        "get_config": lambda *args, **kwargs: LLAMA,
        "get_hf_config": lambda *args, **kwargs: LLAMA,
        "maybe_model_redirect": lambda path: path,
        "model_config_of": model,
    }
    _replace(answers)
    try:
        import sglang.srt.configs.model_config as configs
    except Exception:  # one release computes with what a stand-in answers
        configs = sys.modules["sglang.srt.configs.model_config"] = ModuleType("sglang.srt.configs.model_config")
        configs.AttentionArch = stubs.inert("AttentionArch")
    configs.ModelConfig = type("ModelConfig", (), {"__new__": model, "from_server_args": staticmethod(model)})
    _replace({**answers, "ModelConfig": configs.ModelConfig})


def _replace(answers):
    for name, module in list(sys.modules.items()):
        if name.startswith("sglang") and module is not None:
            for asked in answers.keys() & vars(module).keys():
                setattr(module, asked, answers[asked])


class Startup:
    """A release's way from a command line to checked arguments."""

    def __init__(self, folder):
        sys.path.insert(0, folder)
        pretend()
        import sglang.srt.server_args as module

        answer_for_the_machine()
        self.arguments = module.ServerArgs
        self.parser = argparse.ArgumentParser()
        self.arguments.add_cli_args(self.parser)
        for name, replaced in (
            ("get_hf_config", lambda itself: LLAMA),
            ("get_model_config", _keep_model),
            ("use_mla_backend", lambda itself: False),
        ):
            if hasattr(self.arguments, name):
                setattr(self.arguments, name, replaced)
        if not hasattr(self.arguments, "resolve_once") and not hasattr(self.arguments, "model_config"):
            self.arguments.model_config = model()

    def ask(self, words, environment):
        """The verdict on one command line."""
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stderr(nowhere):
                try:
                    namespace = self.parser.parse_args(["--model-path", "m/x", *words])
                except (SystemExit, ValueError):
                    return "no-flag"
                try:
                    made = self.arguments.from_cli_args(namespace)
                    answer_for_the_machine()
                    if hasattr(made, "resolve_once"):
                        made.resolve_once()
                    if hasattr(made, "check_server_args"):
                        made.check_server_args()
                except Exception:
                    return "refuses"
            return "starts"
        finally:
            os.environ.clear()
            os.environ.update(before)


def _keep_model(itself):
    made = model()
    with contextlib.suppress(Exception):  # frozen in some releases, which then do not look for it
        object.__setattr__(itself, "model_config", made)
    return made


def main():
    """Answer every case of the file."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever the release prints is not an answer
    startup = Startup(sys.argv[1])
    cases = json.loads(Path(sys.argv[2]).read_text())
    json.dump([startup.ask(words, environment) for words, environment in cases], answers)


if __name__ == "__main__":
    main()
