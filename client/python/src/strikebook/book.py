"""The order book of one symbol, built from the channel `book`: a snapshot, then changes.

If a predecessor or checksum does not match, the book asks for a new snapshot. While `is_live` is false, the levels are out of date.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple
from zlib import crc32

from .http import call_listener
from .messages import BookUpdate

_CHECKED_LEVELS = 25


class Level(NamedTuple):
    price: Decimal
    size: Decimal


Levels = tuple[Level, ...]


class LocalBook:
    """`renew` asks for a new snapshot. `on_error` gets exceptions of listeners."""

    def __init__(self, symbol: str, *, renew: Callable[[], None], on_error: Callable[[BaseException], None]) -> None:
        self.symbol = symbol
        # Best first.
        self.bids: Levels = ()
        self.asks: Levels = ()
        # 0 before the first message.
        self.seq = 0
        self.timestamp = 0
        self.is_live = False
        self._renew = renew
        self._on_error = on_error
        self._on_close: Callable[[], None] = lambda: None
        self._listeners: list[Callable[['LocalBook'], None]] = []

    @property
    def best_bid(self) -> Level | None:
        return self.bids[0] if self.bids else None

    @property
    def best_ask(self) -> Level | None:
        return self.asks[0] if self.asks else None

    def on_change(self, listener: Callable[['LocalBook'], None]) -> Callable[[], None]:
        """Called after every change, also of `is_live`. Returns a function that stops it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def apply(self, update: BookUpdate) -> None:
        is_snapshot = update.is_snapshot
        # Changes are useless until the snapshot arrives.
        if not is_snapshot and not self.is_live:
            return
        bids = _merged(() if is_snapshot else self.bids, update.bids, is_rising=False)
        asks = _merged(() if is_snapshot else self.asks, update.asks, is_rising=True)
        if (not is_snapshot and update.prev_seq != self.seq) or checksum_of(bids, asks) != update.checksum:
            self.pause()
            self._renew()
            return
        self.bids, self.asks, self.seq, self.timestamp, self.is_live = bids, asks, update.seq, update.timestamp, True
        self._tell()

    def pause(self) -> None:
        """The connection was lost: the book is out of date."""
        if self.is_live:
            self.is_live = False
            self._tell()

    def close(self) -> None:
        self.pause()
        self._listeners.clear()
        self._on_close()

    def _tell(self) -> None:
        for listener in list(self._listeners):
            call_listener(listener, self, self._on_error)


def _merged(levels: Levels, changes: tuple[tuple[Decimal, Decimal], ...], *, is_rising: bool) -> Levels:
    """Best first. Size 0 removes a level."""
    if not changes:
        return levels
    by_price = {level.price: level for level in levels}
    for price, size in changes:
        if size:
            by_price[price] = Level(price, size)
        else:
            by_price.pop(price, None)
    return tuple(sorted(by_price.values(), key=lambda level: level.price, reverse=not is_rising))


def checksum_of(bids: Levels, asks: Levels) -> int:
    """Of the best levels by rank, bid before ask; a Decimal has the digits that the venue sent."""
    ranked = [side[rank] for rank in range(_CHECKED_LEVELS) for side in (bids, asks) if rank < len(side)]
    return crc32(':'.join(f'{level.price:f}:{level.size:f}' for level in ranked).encode())
