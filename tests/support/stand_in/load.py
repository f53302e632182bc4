"""A load, as it looks from outside: memory that grows, processor time, log lines, and what goes wrong meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from support.stand_in.log import log

if TYPE_CHECKING:
    from support.stand_in.behaviour import Behaviour, Control

MIB = 2**20
STEP_SECONDS = 0.01
FAILS_AT = 0.95


class Load:
    """`share` goes from 0 to 1 while `run` works."""

    def __init__(self, control: Control, settings: dict[str, Any]) -> None:
        self.share = 0.0
        self._control = control
        self._settings = settings
        self._held: list[bytearray] = []
        self._done_at = 0.0

    def run(self) -> None:
        """Load. Ends the process where it is told to fail."""
        log("Load weight begin. avail mem=90.00 GB", "TP0")
        began = time.monotonic()
        told = 0
        while self.share < 1:
            now = self._control.now
            share = min(1.0, (time.monotonic() - began) / now.load_seconds) if now.load_seconds > 0 else 1.0
            if now.fault == "exit" and share >= FAILS_AT:
                log("a fault: it ends during the load", "TP0")
                sys.stderr.flush()
                os._exit(1)
            if now.fault in {"stall", "spin"} and share >= 0.5:
                _spin_or_sleep(now.fault)
                began = time.monotonic() - now.load_seconds / 2
                continue
            if now.progress == "steady":
                self._hold(int(now.hold_mib * share))
                if int(share * 10) > told:
                    told = int(share * 10)
                    log(f"loaded {told * 10} %", "TP0")
            self.share = share
            _spin_or_sleep("spin" if now.progress == "spin" else "stall")
        self._hold(self._control.now.hold_mib)
        self._tell(self._control.now)
        _children(self._control.now)
        self._done_at = time.monotonic()

    def done_for(self) -> float:
        """Seconds since it was done."""
        return time.monotonic() - self._done_at if self._done_at else 0.0

    def tokens(self) -> int:
        """KV tokens as the server reports them: a cap of the command line holds."""
        now = self._control.now
        most = self._settings.get("max_total_tokens")
        return int(min(now.kv_tokens, most or now.kv_tokens) * now.kv_share)

    def _hold(self, mib: int) -> None:
        """Memory that is really there: each page is written."""
        missing = mib * MIB - sum(map(len, self._held))
        if missing > 0:
            self._held.append(bytearray(b"\1") * missing)

    def _tell(self, now: Behaviour) -> None:
        log("Load weight end. type=StandIn, dtype=torch.bfloat16, avail mem=60.00 GB, mem usage=30.00 GB.", "TP0")
        log(f"KV Cache is allocated. #tokens: {self.tokens()}, K size: 5.00 GB, V size: 5.00 GB", "TP0")
        context = self._settings.get("context_length") or 32768
        text = f"max_total_num_tokens={self.tokens()}, chunked_prefill_size=8192, max_prefill_tokens=16384, "
        log(f"{text}max_running_requests=2048, context_len={context}, available_gpu_mem=10.00 GB", "TP0")


def _spin_or_sleep(how: str) -> None:
    if how == "spin":
        end = time.monotonic() + STEP_SECONDS
        while time.monotonic() < end:
            pass
    else:
        time.sleep(STEP_SECONDS)


def _children(now: Behaviour) -> None:
    """Processes of their own that hold memory."""
    parent = os.getpid()
    for _ in range(now.children):
        if os.fork():
            continue
        signal.signal(signal.SIGTERM, signal.SIG_IGN if now.children_stay else signal.SIG_DFL)
        held = bytearray(b"\1") * (now.child_mib * MIB)
        while held is not None and (now.children_stay or os.getppid() == parent):
            time.sleep(0.05)
        os._exit(0)
