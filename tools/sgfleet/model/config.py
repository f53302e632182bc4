"""A config.json as data with manners: every value is asked for by name, with its type, and its absence is a message."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sgfleet.model.problem import ADD_COMMAND, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = TypeVar("Value")

MOST_BYTES: Final = 64 * 2**20
"""A config.json with a quantisation list for every layer is a few MiB; more than this is not one."""
LARGEST: Final = 2**40
"""No dimension of a model comes near this."""
QUANTISATION_FILE: Final = "hf_quant_config.json"
TEXT_SECTIONS: Final = ("thinker_config", "llm_config", "language_config", "text_config")


@dataclass(frozen=True)
class Section:
    """A mapping inside a config.json; `inside` is the name of the mapping, "" for the file itself."""

    values: Mapping[str, Any]
    file: str = "config.json"
    inside: str = ""

    def problem(self, message: str) -> ModelError:
        """A problem with this section; the message goes on from the file's name ("has no hidden_size")."""
        return ModelError(
            f"{message}, in {self.inside}" if self.inside else message,
            file=self.file,
            help=f"commit facts that say it: {ADD_COMMAND} FOLDER, run where the whole checkpoint lies",
        )

    def find(self, *names: str) -> tuple[str, Any]:
        """The first of `names` that is there and not null, with its value; ("", None) where none is."""
        for name in names:
            value = self.values.get(name)
            if value is not None:
                return name, value
        return "", None

    def has(self, *names: str) -> bool:
        """One of `names` is there and not null."""
        return bool(self.find(*names)[0])

    def maybe(self, *names: str) -> int | None:
        """A whole number of at least 0 under the first of `names` that is there, None where none is."""
        name, value = self.find(*names)
        return self._whole(name, value) if name else None

    def integer(self, *names: str, default: int | None = None) -> int:
        """A whole number of at least 0.

        Raises:
            ModelError: None of the names is there and there is no default, or the value is no such number.
        """
        value = self.maybe(*names)
        if value is None:
            value = default
        if value is None:
            raise self.problem(f"has no {' or '.join(names)}")
        return value

    def positive(self, *names: str, default: int | None = None) -> int:
        """A whole number of at least 1."""
        value = self.integer(*names, default=default)
        if value == 0:
            raise self.problem(f"{self.find(*names)[0]} is 0")
        return value

    def flag(self, *names: str, default: bool = False) -> bool:
        """A boolean; anything else than true and false counts as the default."""
        value = self.find(*names)[1]
        return value if isinstance(value, bool) else default

    def word(self, *names: str) -> str | None:
        """A string, None where it is missing or something else."""
        value = self.find(*names)[1]
        return value if isinstance(value, str) else None

    def words(self, *names: str) -> tuple[str, ...]:
        """A list of strings; empty where it is missing."""
        name, value = self.find(*names)
        if not name:
            return ()
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.problem(f"{name} is not a list of strings")
        return tuple(value)

    def integers(self, *names: str) -> tuple[int, ...]:
        """A list of whole numbers; empty where it is missing."""
        name, value = self.find(*names)
        if not name:
            return ()
        if not isinstance(value, list):
            raise self.problem(f"{name} is not a list of whole numbers")
        return tuple(self._whole(name, item) for item in value)

    def each(self, name: str, layers: int) -> tuple[int, ...]:
        """A whole number for every layer: from a list (its first `layers`), or the one number for all."""
        if isinstance(self.values.get(name), list):
            return self.per_layer(name, self.integers(name), layers)
        return (self.integer(name),) * layers

    def per_layer(self, name: str, values: tuple[Value, ...], layers: int) -> tuple[Value, ...]:
        """`values` for exactly `layers` layers: longer lists go on into the MTP layers, shorter ones are a problem."""
        if len(values) < layers:
            raise self.problem(f"has {len(values)} entries in {name} for {layers} layers")
        return values[:layers]

    def section(self, *names: str) -> Section | None:
        """A nested mapping, None where it is missing or not one."""
        name, value = self.find(*names)
        return Section(value, self.file, name) if isinstance(value, dict) else None

    def _whole(self, name: str, value: object) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            raise self.problem(f"{name} is {_shown(value)}, not a whole number of at least 0")
        return value


@dataclass(frozen=True)
class Config:
    """A config.json: the whole of it (`top`) and the part that describes the language model (`text`)."""

    top: Section
    text: Section
    architecture: str
    model_type: str
    text_model_type: str
    quantisation: Section | None = field(default=None)


def read_config(text: str, *, name: str = "config.json", quantisation: str | None = None) -> Config:
    """Read a config.json, and the text of hf_quant_config.json beside it where there is one.

    Raises:
        ModelError: It is not JSON, or does not name an architecture.
    """
    top = Section(read_json(text, name), name)
    body = _text_section(top)
    architectures = top.words("architectures") or body.words("architectures")
    if not architectures:
        raise top.problem("has no architectures")
    model_type = top.word("model_type") or ""
    quantised = top.section("quantization_config", "compression_config") or body.section("quantization_config")
    if quantisation is not None:
        quantised = _merged(quantised, read_json(quantisation, QUANTISATION_FILE))
    return Config(
        top=top,
        text=body,
        architecture=architectures[0],
        model_type=model_type,
        text_model_type=body.word("model_type") or model_type,
        quantisation=quantised,
    )


def read_json(text: str, name: str, *, most_bytes: int = MOST_BYTES) -> dict[str, Any]:
    """A JSON object out of a file that nobody vouches for.

    Raises:
        ModelError: Too large, not JSON, or not an object.
    """
    remedy = "download the checkpoint again; an interrupted download leaves such files"
    if len(text) > most_bytes:
        raise ModelError(f"is {len(text) // 2**20} MiB, which no model configuration is", file=name, help=remedy)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ModelError(f"is not JSON: {reason}", file=name, help=remedy) from error
    if not isinstance(value, dict):
        raise ModelError(f"is not a JSON object but {_shown(value)}", file=name, help=remedy)
    return value


def _text_section(top: Section) -> Section:
    """The language model's section: nested once or twice in multimodal checkpoints."""
    section = top.section(*TEXT_SECTIONS)
    if section is None:
        return top
    inner = section.section("text_config")
    if inner is not None:
        return inner
    return section if section.has("hidden_size", "num_hidden_layers", "num_attention_heads", "n_embd") else top


def _merged(inside: Section | None, beside: dict[str, Any]) -> Section:
    """What config.json says of quantisation, with what only ModelOpt's own file says."""
    nested = beside.get("quantization")
    extra = nested if isinstance(nested, dict) else beside
    if inside is None:
        return Section({"quant_method": "modelopt", **extra}, QUANTISATION_FILE)
    return Section({**extra, **inside.values}, inside.file, inside.inside)


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
