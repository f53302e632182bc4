"""What argparse's own action classes make of the keywords of `add_argument`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sgfleet.engine.extract.values import Unknown

if TYPE_CHECKING:
    from sgfleet.engine.extract.calls import Call
    from sgfleet.engine.extract.values import Instance

_BASE: Final[dict[str, Any]] = {
    "nargs": None,
    "const": None,
    "default": None,
    "type": None,
    "choices": None,
    "required": False,
    "help": None,
    "metavar": None,
}

# class -> (the word for it, which keywords it takes, what it fixes, other defaults)
_STORE: Final = ("nargs", "const", "default", "type", "choices", "required", "help", "metavar")
_CONST: Final = ("const", "default", "required", "help", "metavar")
_BOOL: Final = ("default", "required", "help")
_CLASSES: Final[dict[str, tuple[str, tuple[str, ...], dict[str, Any], dict[str, Any]]]] = {
    "argparse.Action": ("Action", _STORE, {}, {}),
    "argparse._StoreAction": ("store", _STORE, {}, {}),
    "argparse._StoreConstAction": ("store_const", _CONST, {"nargs": 0}, {}),
    "argparse._StoreTrueAction": ("store_true", _BOOL, {"nargs": 0, "const": True}, {"default": False}),
    "argparse._StoreFalseAction": ("store_false", _BOOL, {"nargs": 0, "const": False}, {"default": True}),
    "argparse._AppendAction": ("append", _STORE, {}, {}),
    "argparse._ExtendAction": ("extend", _STORE, {}, {}),
    "argparse._AppendConstAction": ("append_const", _CONST, {"nargs": 0}, {}),
    "argparse._CountAction": ("count", _BOOL, {"nargs": 0}, {}),
    "argparse.BooleanOptionalAction": (
        "BooleanOptionalAction",
        ("default", "type", "choices", "required", "help", "metavar"),
        {"nargs": 0},
        {},
    ),
}

WORDS: Final = {word: name for name, (word, *_) in _CLASSES.items()}
"""`store_true` -> `argparse._StoreTrueAction`, and so on."""


def word(class_name: str) -> str | None:
    """argparse's own word for one of its classes, None for a class that is not its own."""
    entry = _CLASSES.get(class_name)
    return entry[0] if entry else None


def initialise(action: Instance, class_name: str, call: Call) -> Any:
    """Run the constructor of one of argparse's classes on `action`, which gets the attributes that argparse sets."""
    entry = _CLASSES.get(class_name)
    if entry is None:
        return call.unknown(f"{class_name} is no action that is known here")
    _, takes, fixed, defaults = entry
    names = ("option_strings", "dest", *takes)
    given = dict(zip(names, call.args, strict=False)) | call.keywords
    spread = given.get("**")
    if isinstance(spread, Unknown):
        return spread
    surplus = given.keys() - set(names)
    if surplus or "dest" not in given:
        return call.unknown(f"{class_name} takes no {', '.join(sorted(surplus)) or 'call without a dest'}")
    action.attributes.update(_BASE | defaults | given | fixed)
    if class_name == "argparse.BooleanOptionalAction":
        options = given["option_strings"]
        twins = [f"--no-{option[2:]}" for option in options if option.startswith("--")]
        # argparse puts each twin right behind its option.
        action.attributes["option_strings"] = [option for pair in zip(options, twins, strict=False) for option in pair]
    return None
