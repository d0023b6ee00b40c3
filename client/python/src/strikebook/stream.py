"""Unread messages of one subscription: an async iterable.

Beyond its limit it ends with an error, because no message may be lost silently. If only the newest message per symbol counts, it
replaces the older one.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Generic, TypedDict, TypeVar

from .errors import StrikebookError

Message = TypeVar('Message')


class SubscribeOptions(TypedDict, total=False):
    # Canonical; for the options chain also underlyings. At most 1,000, except for streams of a wallet. Default: all.
    symbols: Iterable[str]
    # For the options chain.
    expiry: str
    option_type: str
    # For streams that the venue keeps: the last `seq` that you have.
    from_seq: int
    # The stream itself then stays empty.
    on_message: Callable[[Any], None]
    # Most unread messages of the stream, default 10,000.
    bound: int


class Stream(Generic[Message]):
    def __init__(self, bound: int, on_close: Callable[[], None]) -> None:
        self._bound = bound
        self._on_close = on_close
        # Each unread message in a list of its own, so that a newer one can take its place.
        self._unread: deque[list[Message]] = deque()
        self._by_key: dict[str, list[Message]] = {}
        self._keys: deque[str | None] = deque()
        self._news = asyncio.Event()
        self._is_over = False
        self._error: StrikebookError | None = None

    @property
    def waiting(self) -> int:
        return len(self._unread)

    def __aiter__(self) -> AsyncIterator[Message]:
        return self

    async def __anext__(self) -> Message:
        while not self._unread:
            if self._is_over:
                self._throw()
            self._news.clear()
            await self._news.wait()
        key = self._keys.popleft()
        if key is not None:
            self._by_key.pop(key, None)
        return self._unread.popleft()[0]

    def close(self) -> None:
        """Drops unread messages."""
        self._unread.clear()
        self._keys.clear()
        self._by_key.clear()
        self._finish(None)

    def push(self, message: Message, key: str | None) -> None:
        """Replaces the unread message with the same key."""
        if self._is_over:
            return
        if key is not None and key in self._by_key:
            self._by_key[key][0] = message
            return
        place = [message]
        if key is not None:
            self._by_key[key] = place
        self._unread.append(place)
        self._keys.append(key)
        self._news.set()
        if len(self._unread) > self._bound:
            self._finish(StrikebookError('overflow', f'More than {self._bound} messages are unread'))

    def end(self, error: StrikebookError) -> None:
        """Unread messages can still be read; then the reader gets the error."""
        if not self._is_over:
            self._is_over = True
            self._error = error
            self._news.set()

    def _finish(self, error: StrikebookError | None) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._error = error
        self._news.set()
        self._on_close()

    def _throw(self) -> None:
        """The error is thrown once."""
        error, self._error = self._error, None
        raise StopAsyncIteration if error is None else error
