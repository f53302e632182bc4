"""Names of flags in the policy: whether any release has them, and what they should be."""

from __future__ import annotations


def correction(name: str) -> str | None:
    """What to write in the policy instead of a name that no release declares; None for a name that one does."""
    from sgfleet.engine.argv.history import history

    known = history()
    if not known or f"--{name}" in known:
        return None
    spelt = name.lstrip("-").replace("_", "-")
    if f"--{spelt}" in known:
        return f"write {spelt}"
    from sgfleet.engine.argv.near import nearest

    near = nearest(spelt, [option.removeprefix("--") for option in known])
    return f"did you mean {' or '.join(near)}?" if near else "remove it"


def releases_with(name: str) -> str | None:
    """The releases that have a flag, the newest run of them, in words: "0.5.9 to 0.5.23". None where nobody knows."""
    from sgfleet.engine.argv.history import history

    past = history().get(f"--{name}")
    if past is None:
        return None
    first, last = past.spans[-1].first, past.spans[-1].last
    return first if first == last else f"{first} to {last}"
