"""Where a service listens, from its flags. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sgfleet.agent.promise import flag_values

if TYPE_CHECKING:
    from sgfleet.engine.release import Release
    from sgfleet.spec.models.service import Service

_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1", "[::]": "::1"}  # noqa: S104 - not bound here
_OTHER_FRONTS: Final = {
    "grpc_mode": "it answers gRPC alone",
    "smg_grpc_mode": "it answers gRPC alone",
    "encoder_only": "an encoder has endpoints of its own",
}
"""Switches with which the process has not the endpoints of the release's HTTP server."""
_RUST_FRONT: Final = "SGLANG_RUST_SERVER"


@dataclass(frozen=True, slots=True)
class Key:
    """Where the API key is: in the spec in clear, or in a variable of files on the host."""

    text: str | None = None
    variable: str | None = None
    files: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Without the key: this ends in messages."""
        return f"Key(variable={self.variable!r}, files={self.files!r})"


@dataclass(frozen=True, slots=True)
class Address:
    """What to connect to. A server that listens everywhere is asked on loopback.

    `tls`: it has a certificate; on loopback nobody can stand between, so its name is not verified. `other_front` says
    why the endpoints of the release do not hold, None where they do. `token_ids_only`: it has no tokenizer.
    """

    host: str
    port: int
    tls: bool = False
    key: Key | None = None
    other_front: str | None = None
    token_ids_only: bool = False

    @property
    def url(self) -> str:
        """As people write it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"


def address_of(service: Service, release: Release) -> Address:
    """The address of a service: its flags, and the release's defaults for what they leave out."""
    values = flag_values(service, release)
    host = str(values.get("host") or _default(release, "host") or "127.0.0.1").strip()
    port = values.get("port") or _default(release, "port")
    return Address(
        host=_EVERYWHERE.get(host, host.removeprefix("[").removesuffix("]")),
        port=int(port),
        tls=bool(values.get("ssl_certfile")),
        key=_key(service, values.get("api_key")),
        other_front=_other_front(service, values),
        token_ids_only=bool(values.get("skip_tokenizer_init")),
    )


def _default(release: Release, name: str) -> Any:
    flag = release.by_name.get(name)
    return release.defaults.get(flag.dest) if flag is not None else None


def _key(service: Service, in_clear: object) -> Key | None:
    if variable := service.secrets.get("api-key"):
        text = service.environment.get(variable)
        return Key(None if text is None else str(text), variable, tuple(service.environment_files))
    return Key(text=str(in_clear)) if in_clear else None


def _other_front(service: Service, values: dict[str, object]) -> str | None:
    if str(service.environment.get(_RUST_FRONT, "")).lower() in {"1", "true", "yes", "y"}:
        return f"{_RUST_FRONT} puts another HTTP server in front"
    return next((why for name, why in _OTHER_FRONTS.items() if values.get(name)), None)
