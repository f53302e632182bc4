"""Data of the kinds that files of a specification hold, and of the kinds that they do not."""

from __future__ import annotations

from hypothesis import strategies as st

from sgfleet.spec.models.expectation import Hint, models_in
from sgfleet.spec.models.kinds import MODELS

KEYS = sorted(
    {
        key
        for model in MODELS.values()
        for part in models_in(Hint(model))
        for key in (field.alias or name for name, field in part.model_fields.items())
    }
    | {"tp-size", "tensor-parallel-size", "A", "a b", "FLG001", "", "\x1b[0m", "[key]", "str", "int", "x" * 300}
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**290), 10**290),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["all", "0.5.9", "/opt/python", "30s", "1GiB", "on-failure", "h", "9" * 41 + "s", "a\n"]),
)
data = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=4)), inner, max_size=4),
    ),
    max_leaves=12,
)
service = st.dictionaries(st.sampled_from(KEYS), data, max_size=6)
shaped = st.fixed_dictionaries(
    {
        "host": st.one_of(st.just("h"), data),
        "services": st.one_of(st.dictionaries(st.sampled_from(KEYS), service, max_size=2), data),
    },
    optional={"defaults": st.one_of(service, data)},
)
