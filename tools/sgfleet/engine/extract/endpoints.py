"""The HTTP server's source in a wheel -> the endpoints that somebody here asks, and how its health is answered.

The handlers are read, not run: routes from their decorators, a token from a call of `generate_request`, and the
variables that make a health endpoint static from the tests in front of its `return Response(status_code=200)`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from sgfleet.engine.endpoints import Endpoints, Health, Info, Switch
from sgfleet.engine.extract.errors import ExtractionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgfleet.engine.extract.wheel import Sources

_SERVERS: Final = ("sglang.srt.entrypoints.http_server", "sglang.srt.server")
_ENVIRON: Final = "sglang.srt.environ"
_SCHEDULER: Final = "sglang.srt.managers.scheduler"
_HEALTH: Final = ("/health", "/health_generate")
_INFO: Final = ("/server_info", "/get_server_info")
_WANTED: Final = (
    *_HEALTH,
    *_INFO,
    "/ready",
    "/model_info",
    "/get_model_info",
    "/generate",
    "/encode",
    "/v1/models",
    "/v1/completions",
    "/v1/embeddings",
    "/metrics",
)
_VERBS: Final = {"get", "post", "put", "delete", "patch", "head"}
_MEMORY: Final = {"weight", "kvcache"}
_STATE_FIELDS: Final = {"memory_usage", "effective_max_running_requests_per_dp", "last_gen_throughput"}
_OK: Final = 200

Handler = ast.FunctionDef | ast.AsyncFunctionDef


def endpoints_of(version: str, sources: Sources) -> Endpoints:
    """Read the endpoints of a release.

    Raises:
        ExtractionError: how the release answers is not understood; the error names module and line.
    """
    name = next((name for name in _SERVERS if sources.has(name)), None)
    if name is None:
        raise ExtractionError(f"there is no HTTP server: neither {' nor '.join(_SERVERS)}")
    server = _Module(name, sources)
    handlers = dict(_routes(server))
    for wanted in (*_HEALTH, _INFO[-1], "/generate"):
        if wanted not in handlers:
            raise ExtractionError(f"no handler of {wanted} is found", name)
    info = next(handlers[path][1] for path in _INFO if path in handlers)
    return Endpoints(
        version,
        {path: methods for path, (methods, _) in handlers.items() if path in _WANTED},
        {path: _health(server, handlers[path][1]) for path in _HEALTH},
        _info(server, info, sources),
        tuple(_switches(server, handlers, sources)),
    )


class _Module:
    """The syntax tree of a module of the wheel."""

    def __init__(self, name: str, sources: Sources) -> None:
        self.name = name
        try:
            self.tree = ast.parse(sources.text(name))
        except SyntaxError as error:
            raise ExtractionError(f"no Python: {error.msg}", name, error.lineno) from None

    def constant(self, name: str) -> ast.expr | None:
        """What a name is bound to at the top, the last time."""
        found = [node.value for node in self.tree.body if isinstance(node, ast.Assign) and _binds(node, name)]
        return found[-1] if found else None


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _routes(server: _Module) -> Iterator[tuple[str, tuple[tuple[str, ...], Handler]]]:
    """Path -> its methods and its handler, of every decorator `@app.…("/path")`."""
    for node in ast.walk(server.tree):
        if not isinstance(node, Handler):
            continue
        for decorator in node.decorator_list:
            match decorator:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="app"), attr=verb), args=[ast.Constant(value=str(path)), *_]
                ) if verb in _VERBS:
                    yield path, ((verb.upper(),), node)
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="app"), attr="api_route"),
                    args=[ast.Constant(value=str(path)), *_],
                    keywords=keywords,
                ):
                    yield path, (_methods(server, keywords, node), node)


def _methods(server: _Module, keywords: list[ast.keyword], node: Handler) -> tuple[str, ...]:
    for keyword in keywords:
        if keyword.arg == "methods":
            found = _strings(keyword.value)
            if found is None:
                raise ExtractionError("methods of a route that are no plain list", server.name, node.lineno)
            return tuple(sorted(found))
    return ("GET",)


def _strings(node: ast.expr) -> tuple[str, ...] | None:
    """A list or tuple of texts, or one text."""
    items = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    found = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return tuple(found) if len(found) == len(items) else None


def _health(server: _Module, handler: Handler) -> Health:
    if not _calls(handler, "generate_request"):
        return Health(generates=False)
    loading = None
    for test, status in _early(handler):
        words = {node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)}
        if "server_status" in words and status != _OK:
            loading = status
    variable, seconds = _timeout(server)
    if variable is not None and "HEALTH_CHECK_TIMEOUT" not in _names(handler):
        variable = seconds = None
    return Health(generates=True, loading=loading, timeout_variable=variable, timeout_seconds=seconds)


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _calls(node: ast.AST, name: str) -> bool:
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == name
        for each in ast.walk(node)
    )


def _early(handler: Handler) -> Iterator[tuple[ast.expr, int]]:
    """`if TEST: … return Response(status_code=STATUS)` at the top of a handler."""
    for node in handler.body:
        if isinstance(node, ast.If) and isinstance(last := node.body[-1], ast.Return):
            match last.value:
                case ast.Call(
                    func=ast.Name(id="Response"), keywords=[ast.keyword("status_code", ast.Constant(int(n)))]
                ):
                    yield node.test, n


def _timeout(server: _Module) -> tuple[str | None, int | None]:
    """`HEALTH_CHECK_TIMEOUT = int(os.getenv(NAME, SECONDS))`."""
    match server.constant("HEALTH_CHECK_TIMEOUT"):
        case ast.Call(args=[ast.Call(args=[ast.Constant(value=str(name)), ast.Constant(value=int(seconds))])]):
            return name, seconds
        case None:
            return None, None
        case node:
            raise ExtractionError("the time of a health check is read in an unknown way", server.name, node.lineno)


def _switches(
    server: _Module, handlers: dict[str, tuple[tuple[str, ...], Handler]], sources: Sources
) -> Iterator[Switch]:
    """Variables in a test before `return Response(status_code=200)`: `[not] envs.NAME.get() and path …`.

    `envs.NAME` without `.get()` is an object and always true (0.5.5.post3): it switches nothing.
    """
    done: set[int] = set()
    for path in _HEALTH:
        handler = handlers[path][1]
        if id(handler) in done or not _calls(handler, "generate_request"):
            continue
        done.add(id(handler))
        for test, status in _early(handler):
            if status != _OK:
                continue
            terms = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
            named = [found for term in terms if (found := _variable(term)) is not None]
            if not named:
                if any(isinstance(node, ast.Name) and node.id == "envs" for node in ast.walk(test)):
                    continue
                raise ExtractionError("healthy for a reason that is not understood", server.name, test.lineno)
            paths = [where for term in terms if (where := _paths(term)) is not None]
            if len(named) != 1 or len(named) + len(paths) != len(terms) or len(paths) > 1:
                raise ExtractionError("healthy under a condition that is not understood", server.name, test.lineno)
            variable, value = named[0]
            yield Switch(variable, value, _default(variable, sources), paths[0] if paths else _HEALTH)


def _variable(term: ast.expr) -> tuple[str, bool] | None:
    """`envs.NAME.get()` or its negation."""
    match term:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            found = _variable(operand)
            return (found[0], not found[1]) if found is not None else None
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="envs"), attr=name), attr="get"), args=[]
        ):
            return name, True
    return None


def _paths(term: ast.expr) -> tuple[str, ...] | None:
    """`request.url.path == "/health"`, or `in (…)`."""
    match term:
        case ast.Compare(left=left, ops=[ast.Eq() | ast.In()], comparators=[right]):
            return _strings(right) if ast.unparse(left) == "request.url.path" else None
    return None


def _default(variable: str, sources: Sources) -> bool:
    """`NAME = EnvBool(DEFAULT)` in the release's list of variables."""
    environ = _Module(_ENVIRON, sources)
    for node in ast.walk(environ.tree):
        if isinstance(node, ast.Assign) and _binds(node, variable):
            match node.value:
                case ast.Call(func=ast.Name(id="EnvBool"), args=[ast.Constant(value=bool(default))]):
                    return default
            raise ExtractionError(f"{variable} is no plain switch", _ENVIRON, node.lineno)
    raise ExtractionError(f"{variable} is not declared", _ENVIRON)


def _info(server: _Module, handler: Handler, sources: Sources) -> Info:
    scheduler = list(_modules(sources))
    ready = [
        keys for module in scheduler for keys in _dicts(module.tree) if {"status", "max_total_num_tokens"} <= set(keys)
    ]
    if not ready:
        raise ExtractionError("what a scheduler says when it is ready is not found", _SCHEDULER)
    own = [key for keys in _dicts(handler) for key in keys]
    fields = {key for keys in ready for key in keys if key != "status"} | set(own)
    if "version" not in fields:
        raise ExtractionError("the info endpoint does not give the version", server.name, handler.lineno)
    states = "none"
    if _calls(handler, "get_internal_state"):
        states = "list" if "internal_states" in own else "flat"
    if states == "none":
        return Info(tuple(sorted(fields)))
    state_fields = {key for module in scheduler for key in _assigned(module.tree)} & _STATE_FIELDS
    memory = {key for module in scheduler for keys in _dicts(module.tree) if set(keys) >= _MEMORY for key in keys}
    for module in scheduler:
        memory |= _added(module.tree)
    return Info(tuple(sorted(fields)), states, tuple(sorted(state_fields)), tuple(sorted(memory)))


def _modules(sources: Sources) -> Iterator[_Module]:
    """The scheduler, and what it takes from beside and below it."""
    scheduler = _Module(_SCHEDULER, sources)
    yield scheduler
    names = {
        node.module
        for node in ast.walk(scheduler.tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sglang.srt.managers.sched")
    }
    yield from (_Module(name, sources) for name in sorted(names) if sources.has(name))


def _dicts(node: ast.AST) -> Iterator[list[str]]:
    """The plain keys of each dict that is written out."""
    for each in ast.walk(node):
        if isinstance(each, ast.Dict):
            yield _plain(each.keys)


def _plain(keys: Iterable[ast.expr | None]) -> list[str]:
    return [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]


def _assigned(node: ast.AST) -> set[str]:
    """`NAME["key"] = …`."""
    return {
        target.slice.value
        for each in ast.walk(node)
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and isinstance(target.slice, ast.Constant)
        and isinstance(target.slice.value, str)
    }


def _added(tree: ast.AST) -> set[str]:
    """`NAME["memory_usage"]["key"] = …`."""
    found: set[str] = set()
    for each in ast.walk(tree):
        for target in each.targets if isinstance(each, ast.Assign) else ():
            match target:
                case ast.Subscript(
                    value=ast.Subscript(slice=ast.Constant(value="memory_usage")), slice=ast.Constant(value=str(key))
                ):
                    found.add(key)
    return found
