"""Stand-ins for the third-party modules that a release imports and that its parser does not need.

`install()` adds one finder behind Python's own: what nothing else can import becomes a module whose every attribute is
an inert class. Such a class can be called, subclassed, indexed, iterated (empty), compared and used as a decorator, so
that module bodies run to their end. SGLang's own modules are never replaced: a missing one stays an ImportError.
"""

from __future__ import annotations

import sys
from abc import ABCMeta
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

OWN = "sglang"
FOREIGN = {"__class_validators__", "__func__"}  # asked of a library's own classes
READ = {"backend": "cuda", "name": "stand_in", "dumps": lambda value: b""}  # what module bodies compute with
ABSENT = {"torch_npu", "npu"}  # modules and attributes whose mere presence makes a release look for that device


class _InertType(ABCMeta):
    """The metaclass: what is asked of the class itself answers with another inert class, or with nothing."""

    def __getattr__(cls, name):
        if name.startswith("__") and name.endswith("__") and name not in FOREIGN:
            raise AttributeError(name)  # Python's own protocols must find nothing
        if name in ABSENT:
            raise AttributeError(name)
        return READ[name] if name in READ else inert(name)

    def register(cls, *args, **kwargs):  # what transformers' Auto classes have, not ABCMeta's
        return args[0] if args else cls

    def __call__(cls, *args, **kwargs):
        if "_inert" not in cls.__dict__:  # a class that a release derives from a stand-in
            try:
                return super().__call__(*args, **kwargs)
            except TypeError:
                return cls
        if len(args) == 1 and not kwargs and callable(args[0]):  # used as a decorator
            return args[0]
        return cls

    def __iter__(cls):
        return iter(())

    def __bool__(cls):
        return False

    def __len__(cls):
        return 0

    def __int__(cls):
        return 0

    def __index__(cls):
        return 0

    def __float__(cls):
        return 0.0

    def __getitem__(cls, key):
        return cls

    def __setitem__(cls, key, value):
        return None

    def __contains__(cls, item):
        return False

    def __enter__(cls):
        return cls

    def __exit__(cls, *args):
        return None

    def __lt__(cls, other):
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __add__(cls, other):
        return cls

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = __add__
    __or__ = __ror__ = __and__ = __rand__ = __invert__ = __neg__ = lambda cls, other=None: cls


def inert(name):
    """A new inert class that prints as `name`."""
    return _InertType(
        name,
        (),
        {
            "_inert": True,
            "__init_subclass__": classmethod(lambda cls, **kwargs: None),
            "__get_pydantic_core_schema__": classmethod(_any_schema),
        },
    )


def _any_schema(cls, source, handler):
    from pydantic_core import core_schema

    return core_schema.any_schema()


class _InertModule(ModuleType):
    __path__ = ()
    __version__ = "99.0.0"

    def __getattr__(self, name):
        if name in ABSENT or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        value = READ[name] if name in READ else inert(name)
        setattr(self, name, value)
        return value


class _Finder(MetaPathFinder, Loader):
    def __init__(self):
        self.made = set()

    def find_spec(self, fullname, path=None, target=None):
        top = fullname.partition(".")[0]
        if top == OWN or top in ABSENT or top in sys.stdlib_module_names:
            return None
        self.made.add(fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return _InertModule(spec.name)

    def exec_module(self, module):
        return None


def install():
    """Put the finder last; returns it, with the names that it had to make in `made`."""
    finder = _Finder()
    sys.meta_path.append(finder)
    return finder
