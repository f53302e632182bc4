"""What `render` refuses, `check` calls an error, at the key that is at fault, and once."""

from __future__ import annotations

import pytest

from rules.checking import check
from sgfleet.findings import Severity
from sgfleet.fleet.workspace import Workspace
from sgfleet.render import characters
from sgfleet.render.host import render_host
from sgfleet.render.unit_text import comments
from sgfleet.spec.comment_text import fit

HEAD = 'host: h\nservices:\n  a:\n    release: "0.5.9"\n'
KEYS = {"python": "/opt/sglang/bin/python3", "flags": "{model-path: /m}"}

# Key of the service -> YAML that no unit can carry.
REFUSED = [
    ("python", "/opt/sglang/bin/"),
    ("python", "/opt/it's/python3"),
    ("python", '"/opt/\\uffff/python3"'),
    ("python", "/opt/$${x}/python3"),
    ("python", f"/opt/{'x' * 4090}/python"),
    ("working-directory", f"/opt/{'x' * 4091}"),
    ("working-directory", '"/opt/x "'),
    ("working-directory", '"/opt/x\\\\"'),
    ("environment-files", '["/etc/*.env"]'),
    ("environment-files", "['/etc/[a].env']"),
    ("environment", '{A: "\\0"}'),
    ("environment", '{A: "\\uffff"}'),
    ("environment", f"{{A: {'x' * 140_000}}}"),
    ("unit", '{after: ["getty@.service"]}'),
    ("flags", "{model-path: /m, nope: 1}"),
    ("flags", "{model-path: /m, tp_size: 1}"),
    ("flags", "{model-path: /m, tp-size: x}"),
    ("flags", "{model-path: /m, tp-size: 1, tensor-parallel-size: 1}"),
    ("flags", "{model-path: /m, load-format: x}"),
    ("flags", '{model-path: "/m\\ufdd0"}'),
    ("flags", '{model-path: "--"}'),
    ("flags", f"{{model-path: /{'x' * 140_000}}}"),
    ("secrets", "{nope: A}"),
    ("secrets", "{trust-remote-code: A}"),
    ("secrets", "{model-path: A}"),
]


@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize(("key", "value"), REFUSED, ids=[f"{key}-{value[:40]!a}" for key, value in REFUSED])
def test_refused(key, value, units, tmp_path):
    text = HEAD + "".join(f"    {name}: {each}\n" for name, each in ({**KEYS, key: value}).items())
    found = [each for each in check(tmp_path, {"hosts/h/host.yaml": text}, units=units) if each.service == "a"]
    workspace = Workspace(tmp_path)
    assert not render_host(workspace.repository.host("h"), workspace.release).units
    errors = [each for each in found if each.severity is Severity.ERROR and each.code != "RND001"]
    at_fault = [each for each in errors if each.route[2:3] == (key,)]
    assert at_fault, [(each.code, each.route, each.message) for each in found]
    assert all(each.place.line == text.splitlines().index(f"    {key}: {value}") + 1 for each in at_fault)
    said = [(each.route, each.code == "RND005") for each in at_fault]
    assert not any((route, False) in said for route, by_render in said if by_render)


def test_what_can_be_rendered_has_no_such_finding(tmp_path):
    odd = (
        HEAD
        + "    python: /opt/a b/python3\n    why: |\n      Two lines,\n\n      and a % sign.\n"
        + '    environment: {A: "$x %h", B: "", C: 1}\n    flags: {model-path: "/m x", lora-paths: [a=/b]}\n'
    )
    found = check(tmp_path, {"hosts/h/host.yaml": odd})
    assert "RND005" not in {each.code for each in found}
    workspace = Workspace(tmp_path)
    assert render_host(workspace.repository.host("h"), workspace.release).units


@pytest.mark.parametrize("how", ["off", "note", "waived"])
def test_a_rule_that_is_off_leaves_what_render_says(how, tmp_path):
    waiver = '    waive: [{code: FLG001, reason: "a flag of our own fork"}]\n' if how == "waived" else ""
    text = HEAD + "    python: /opt/python3\n    flags: {model-path: /m, nope: 1}\n" + waiver
    policy = {} if how == "waived" else {"fleet.yaml": f"policy: {{severity: {{FLG001: {how}}}}}\n"}
    found = check(tmp_path, {"hosts/h/host.yaml": text, **policy})
    errors = [each for each in found if each.severity is Severity.ERROR and each.waived is None]
    assert [(each.code, each.route[-1]) for each in errors] == [("RND005", "nope")]
    assert ("WVR005" in {each.code for each in found}) == (how == "off")


@pytest.mark.parametrize("written", ["\\x1b", "\\u202e", "\\x00", "\\x7f", "\\uffff", "\\U0010ffff", "\\x85\\x84"])
def test_a_comment_has_no_escapes_and_why_says_so_itself(written, tmp_path):
    keys = "".join(f"    {name}: {each}\n" for name, each in KEYS.items())
    found = check(tmp_path, {"hosts/h/host.yaml": f'{HEAD}{keys}    why: "a{written}b"\n'})
    (error,) = (each for each in found if each.severity is Severity.ERROR)
    assert (error.code, error.route[-1], error.place.line) == ("SPC004", "why", 7)
    code = f"U+{ord(yaml_text(written)[-1]):04X}"
    assert error.help == f"leave {code} out: the text becomes a comment of the unit, which has no escapes"


def yaml_text(escaped):
    return escaped.encode("ascii").decode("unicode_escape")


def test_why_takes_just_what_a_comment_of_a_unit_holds():
    planes = [chr(plane << 16 | low) for plane in range(17) for low in (0xFFFD, 0xFFFE, 0xFFFF)]
    for character in [*map(chr, range(0xD800)), *map(chr, range(0xE000, 0x10000)), *planes]:
        if character.isascii() and character.isprintable():
            continue
        try:
            fit(character)
        except ValueError:
            taken = False
        else:
            taken = True
        lines = "".join("".join(each.lines()) for each in comments(f"Why: a{character}b"))
        assert taken == (characters.unfit(lines) is None), hex(ord(character))
