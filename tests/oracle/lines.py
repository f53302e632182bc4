"""Random command lines from the actions of a release's real parser: mean, seeded, and the same on every machine.

About half of them are right. The others try what parsers get wrong: abbreviations of every length, `=`, empty values,
negative numbers, underscores, missing and surplus values, repeated flags, `--`, JSON that only one of two readers
takes, suffixes, Unicode, configuration files.
"""

from __future__ import annotations

import ast
import json
import random
from dataclasses import dataclass, field

from oracle import pools


@dataclass
class Line:
    """One command line, with the files that it names (relative path -> text)."""

    words: list[str]
    files: dict[str, str] = field(default_factory=dict)


def lines(actions, seed, count):
    """`count` command lines for a release with these actions (as the worker describes them)."""
    maker = _Maker(actions, random.Random(seed))
    for number in range(count):
        yield maker.line(number)


class _Maker:
    def __init__(self, actions, dice):
        self.actions = actions
        self.dice = dice
        self.options = [option for action in actions for option in action["options"] if option.startswith("--")]
        self.has_config = "--config" in self.options

    def line(self, number):
        """Each action is the subject of a line in its turn; others come with it by chance."""
        dice = self.dice
        if dice.random() < 0.1:
            return Line([self.anything() for _ in range(dice.randint(0, 8))])
        words = ["--model-path", "m"] if dice.random() < 0.85 else []
        wrong = dice.random() < 0.45
        subjects = [self.actions[number % len(self.actions)]]
        subjects += dice.choices(self.actions, k=dice.choice([0, 0, 1, 2, 4]))
        faulty = dice.randrange(len(subjects)) if wrong else -1
        for index, action in enumerate(subjects):
            words += self.use(action, index == faulty)
        if dice.random() < 0.08:
            words.insert(dice.randrange(len(words) + 1), dice.choice(pools.TRAPS + pools.TEXTS))
        line = Line(words)
        if self.has_config and dice.random() < 0.12:
            self.with_file(line, number)
        return line

    def anything(self):
        """A word without regard to the words around it."""
        dice = self.dice
        option = dice.choice(self.options)
        pool = dice.choice([pools.TRAPS, pools.TEXTS, pools.INTEGERS, pools.NO_NUMBERS, pools.JSON, pools.ADAPTERS])
        return dice.choice(
            [option, option[: dice.randint(2, len(option))], f"{option}={dice.choice(pool)}", dice.choice(pool)]
        )

    def use(self, action, wrong):
        """One use of an option: its name in some spelling, its words in some number."""
        dice = self.dice
        option = dice.choice(action["options"])
        if option in ("-h", "--help") and dice.random() < 0.9:
            option = f"--{dice.choice(pools.NAMES)}" if wrong else dice.choice(self.options)
        fault = dice.choice(["name", "name", "value", "value", "value", "count", "form"]) if wrong else None
        values = self.values(action, fault)
        if fault == "name":
            option = self.misspelt(option)
        elif dice.random() < 0.25 and len(option) > 3:
            option = option[: dice.randint(3, len(option))]
        if fault == "form" and not values:
            return [f"{option}={dice.choice(pools.TEXTS)}"]
        joined = len(values) == 1 and (dice.random() < 0.3 or (values[0].startswith("-") and dice.random() < 0.7))
        if fault == "form":
            joined = not joined
        return [f"{option}={values[0]}", *values[1:]] if joined else [option, *values]

    def misspelt(self, option):
        dice = self.dice
        position = dice.randrange(2, max(3, len(option)))
        return dice.choice([
            option.replace("-", "_").replace("__", "--", 1),
            option.upper(),
            option[1:],
            option + dice.choice(["x", "-", "s", "-size", "="]),
            option[:position],
            "--no-" + option.lstrip("-"),
            option[:position] + dice.choice("abcxyz-_") + option[position + 1 :],
        ])  # fmt: skip

    def values(self, action, fault):
        dice = self.dice
        least, most = {None: (1, 1), 0: (0, 0), "?": (0, 1), "*": (0, 4), "+": (1, 4)}[action["nargs"]]
        number = dice.randint(least, most)
        if fault == "count":
            number = dice.choice([0, most + 1, most + 2])
        values = [self.value(action, False) for _ in range(number)]
        if fault == "value" and values:
            values[dice.randrange(len(values))] = self.value(action, True)
        return values

    def value(self, action, wrong):
        dice = self.dice
        if wrong and dice.random() < 0.15:
            return dice.choice(pools.TRAPS)
        if action["choices"]:
            choice = str(ast.literal_eval(dice.choice(action["choices"])))
            near = [choice.upper(), choice + "x", choice[:-1], f" {choice}", "", "None", dice.choice(pools.TEXTS)]
            return dice.choice(near) if wrong else choice
        if action["type"] == "parse_cuda_graph_config_arg":
            return self.graphs(wrong)
        kind = "LoRAPathAction" if action["action"] == "LoRAPathAction" else action["type"]
        right, doubtful = pools.BY_TYPE.get(kind, (pools.TEXTS, pools.TEXTS))
        return dice.choice(doubtful if wrong else right)

    def graphs(self, wrong):
        """Nested JSON for --cuda-graph-config."""
        dice = self.dice
        if wrong and dice.random() < 0.3:
            return dice.choice(pools.JSON + pools.NO_JSON + pools.TRICKY_JSON)
        settings = [*pools.SETTINGS, *(pools.SOME_SETTINGS if wrong else [])]
        phases = pools.PHASES + (pools.NO_PHASES if wrong and dice.random() < 0.2 else [])
        config = {}
        for phase in dice.sample(phases, dice.randint(0, 2)):
            config[phase] = {key: self.setting(key, wrong) for key in dice.sample(settings, dice.randint(0, 3))}
            if wrong and dice.random() < 0.2:
                config[phase] = dice.choice([None, [], "x", 1])
        return json.dumps(config)

    def setting(self, key, wrong):
        values = pools.SETTINGS.get(key, [1, "a", None, True])
        return self.dice.choice(values + (pools.NO_BACKENDS if wrong and key == "backend" else []))

    def with_file(self, line, number):
        """Puts `--config FILE` somewhere into the line, mostly as it should be."""
        dice = self.dice
        name = f"c{number}" + dice.choice([".yaml", ".yaml", ".yaml", ".yml", ".YAML", ".json", "", ".yaml.txt"])
        how = dice.random()
        if how < 0.9:
            line.files[name] = self.file()
        if how < 0.03:
            name = ""
        pair = ["--config", name]
        if dice.random() < 0.15:
            pair = dice.choice([[f"--config={name}"], ["--conf", name], ["--config"], [*pair, *pair]])
        at = dice.randrange(len(line.words) + 1)
        line.words[at:at] = pair

    def file(self):
        """A YAML text: flags of the release with values of every YAML kind, now and then something odd."""
        dice = self.dice
        if dice.random() < 0.1:
            return dice.choice(pools.YAML_FILES)
        text = ""
        for action in dice.sample(self.actions, dice.randint(1, 4)):
            key = dice.choice(action["options"]).lstrip("-")
            how = dice.random()
            if how < 0.3:
                key = key.replace("-", "_")
            elif how < 0.45:
                key = action["dest"]
            elif how < 0.5:
                key = key[: dice.randint(1, len(key))]
            text += f"{key}: {self.yaml(action)}\n"
        return text

    def yaml(self, action):
        dice = self.dice
        if dice.random() < 0.2:
            return dice.choice(pools.YAML_VALUES)
        if action["nargs"] == 0:
            return dice.choice(["true", "true", "false"])
        value = self.value(action, False)
        if action["nargs"] in ("*", "+"):
            return json.dumps([value, self.value(action, False)])
        return value if value.isalnum() and value.isascii() and dice.random() < 0.5 else json.dumps(value)
