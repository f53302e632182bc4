"""No service that the models accept makes a rule fail: rules say something of its flags, or nothing."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules.views import TODAY, facts, host, service
from sgfleet.engine import store
from sgfleet.rules.registry import checks
from sgfleet.rules.rule import Problem, ServiceView

RELEASES = ["0.4.0", "0.4.6.post1", "0.5.3", "0.5.9", "0.5.14", "0.5.20", "0.5.23", "0.5.99"]
NAMES = sorted({name for version in RELEASES[:-1] for name in store.load(version).by_name})

odd = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 9), st.integers(), st.floats(), st.text(max_size=12),
    st.sampled_from(["", "-", "--", "a:b", "$X", "~/x", "EAGLE", "decode", "prefill", "mooncake", "nan", "1" * 400]),
)  # fmt: skip
values = st.recursive(
    odd, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=2))
)


@st.composite
def likely(draw):
    """A flag with a value that it may well have."""
    flag = draw(st.sampled_from(store.load(draw(st.sampled_from(RELEASES[:-1]))).flags))
    if flag.nargs == 0:
        return flag.name, True
    if flag.choices:
        return flag.name, draw(st.sampled_from(flag.choices))
    kinds = {"int": st.integers(-1, 9), "float": st.floats(0, 3)}
    return flag.name, draw(kinds.get(flag.type, st.sampled_from(["x", "a:1", "/srv/m"])))


flags = st.dictionaries(st.one_of(st.sampled_from(NAMES), st.text(max_size=10)), values, max_size=6)
services = st.builds(
    lambda release, wild, tame, gpus: service({**wild, **dict(tame)}, release=release, gpus=gpus),
    st.sampled_from(RELEASES), flags, st.lists(likely(), max_size=8),
    st.one_of(st.just("all"), st.lists(st.integers(0, 9), min_size=1, max_size=4)),
)  # fmt: skip
quiet = settings(max_examples=75, deadline=None, suppress_health_check=list(HealthCheck))


def told(stage, view):
    for each in checks()[stage]:
        for problem in each.check(view):
            assert isinstance(problem, Problem)
            assert "\n" not in problem.message
            assert problem.message
            yield problem


@quiet
@given(services)
def test_services(view):
    list(told("service", ServiceView(view.name, view.service, view.policy, view.release)))  # no machine, no host's name
    list(told("machine", view))


@quiet
@given(st.lists(services, max_size=3), st.one_of(st.none(), st.integers(0, 4)))
def test_hosts(views, gpus):
    known = None if gpus is None else facts(gpus=gpus)
    list(told("host", host({f"s{number}": view for number, view in enumerate(views)}, known, today=TODAY)))
