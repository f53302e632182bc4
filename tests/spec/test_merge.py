"""Layers become one: the nearer wins, null removes, the order of keys says nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sgfleet.spec.merge import BY_KEY, idle_nulls, merge

NAMES = {"tp-size": "tensor-parallel-size", "tensor-parallel-size": "tensor-parallel-size"}
FLAGS = ("tp-size", "tensor-parallel-size", "port", "host")

values = st.one_of(st.none(), st.integers(0, 9), st.booleans(), st.lists(st.integers(0, 3), max_size=2))
set_values = values.filter(lambda value: value is not None)
layers = st.fixed_dictionaries(
    {},
    optional={
        "flags": st.one_of(st.none(), st.dictionaries(st.sampled_from(FLAGS), values)),
        "environment": st.one_of(st.none(), st.dictionaries(st.sampled_from("AB"), values)),
        "unit": st.dictionaries(st.sampled_from(("restart", "after")), values),
        "release": values,
        "gpus": values,
    },
)


def meaning(layer, names=NAMES):
    """A layer without regard to which of its names a flag has; for layers that give a flag by one name only."""
    flags = layer.get("flags") or {}
    return {**layer, "flags": {names.get(name, name): value for name, value in flags.items()}}


def one_name_each(layer):
    flags = layer.get("flags") or {}
    return len({NAMES.get(name, name) for name in flags}) == len(flags)


@given(layers, layers)
def test_what_the_nearer_layer_says_holds(farther, nearer):
    merged = merge(merge({}, farther, NAMES), nearer, NAMES)
    for key, value in nearer.items():
        if value is None:
            assert key not in merged
        elif key in BY_KEY:
            for name, inner in value.items():
                if inner is None:
                    assert name not in merged[key]
                else:
                    assert merged[key][name] == inner
        else:
            assert merged[key] == value


@given(layers, layers)
def test_what_the_nearer_layer_does_not_name_is_inherited(farther, nearer):
    inherited = merge({}, farther, NAMES)
    merged = merge(inherited, nearer, NAMES)
    for key, value in inherited.items():
        if key not in nearer:
            assert merged[key] == value
        elif key in BY_KEY and nearer[key] is not None:
            taken = {NAMES.get(name, name) for name in nearer[key]}
            for name, inner in value.items():
                if NAMES.get(name, name) not in taken:
                    assert merged[key][name] == inner


@given(layers.filter(one_name_each), layers.filter(one_name_each))
def test_a_flag_is_never_there_twice_when_each_layer_has_it_once(farther, nearer):
    merged = merge(merge({}, farther, NAMES), nearer, NAMES)
    assert one_name_each(merged)
    # By one name or the other: the same service.
    renamed = merge(merge({}, meaning(farther), NAMES), meaning(nearer), NAMES)
    if farther.get("flags") is not None and nearer.get("flags") is not None:
        assert meaning(merged).get("flags") == meaning(renamed).get("flags")


@given(layers, layers, layers)
def test_nearest_first_or_farthest_first_is_the_same(first, second, third):
    step_by_step = merge(merge(merge({}, first, NAMES), second, NAMES), third, NAMES)
    assert None not in step_by_step.values()
    assert all(None not in step_by_step[key].values() for key in BY_KEY & step_by_step.keys())
    again = merge(step_by_step, third, NAMES)
    assert again == step_by_step  # a layer that is already in force changes nothing


@given(layers, layers, st.randoms(use_true_random=False))
def test_the_order_of_keys_says_nothing(farther, nearer, random):
    def shuffled(data):
        items = [(key, shuffled(value) if isinstance(value, dict) else value) for key, value in data.items()]
        random.shuffle(items)
        return dict(items)

    assert merge(merge({}, farther, NAMES), nearer, NAMES) == merge(
        merge({}, shuffled(farther), NAMES), shuffled(nearer), NAMES
    )


@given(layers, layers)
def test_a_null_is_idle_exactly_when_leaving_it_out_changes_nothing(farther, nearer):
    inherited = merge({}, farther, NAMES)
    merged = merge(inherited, nearer, NAMES)
    idle = set(idle_nulls(inherited, nearer, NAMES))
    for route in [(key,) for key, value in nearer.items() if value is None] + [
        (key, name) for key in BY_KEY & nearer.keys() for name, value in (nearer[key] or {}).items() if value is None
    ]:
        without = {key: dict(value) if isinstance(value, dict) else value for key, value in nearer.items()}
        if len(route) == 1:
            del without[route[0]]
        else:
            del without[route[0]][route[1]]
        if route in idle:
            assert merge(inherited, without, NAMES) == merged
        elif len(route) == 1:
            assert merge(inherited, without, NAMES) != merged


def test_a_flag_value_is_never_looked_into():
    inherited = {"flags": {"json-model-override-args": {"a": 1, "b": 2}}}
    nearer = {"flags": {"json-model-override-args": {"a": None}}}
    assert merge(inherited, nearer, {}) == nearer


def test_a_layer_that_is_merged_over_is_left_as_it_was():
    inherited = {"flags": {"port": 1}}
    merge(inherited, {"flags": {"port": 2}}, {})
    assert inherited == {"flags": {"port": 1}}
