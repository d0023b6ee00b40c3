"""Nonces: milliseconds since the epoch, but always above the wallet's previous nonce.

Above a thousand requests a second they run ahead of the clock: give a `first` after a restart.
"""

import time


class NonceSource:
    def __init__(self, first: int = 0) -> None:
        self._last = first - 1

    def next(self) -> int:
        self._last = max(self._last + 1, now_ms())
        return self._last


_sources: dict[str, NonceSource] = {}


def nonce_source_of(wallet: str) -> NonceSource:
    """Shared by all clients of one program."""
    return _sources.setdefault(wallet.lower(), NonceSource())


def now_ms() -> int:
    return time.time_ns() // 1_000_000
