"""Signed requests by socket, with many in flight. A lost or late request is sent again as the same bytes, before anything newer.

The venue acts on a nonce once. It answers in order, so an answer to a later request means that an earlier one was lost. Retries for a
busy venue do not hold up other requests.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .connection import HEARTBEATS_TO_GIVE_UP, Frame
from .decoding import decode
from .errors import StrikebookError
from .http import Request, call_listener
from .retries import RETRIES, TIMEOUT, AnswerFacts, Carriage, OnAnswer, with_retries
from .tables import MESSAGE_BYTES, REQUESTS_IN_FLIGHT, VENUE_CODES

_TYPES = {
    'POST /order': 'PlaceOrder', 'PUT /order': 'ReplaceOrder', 'POST /amend': 'AmendOrder', 'PUT /bulk_amend': 'BulkAmendOrder',
    'POST /cancel': 'CancelOrder', 'POST /cancel-by-cloid': 'CancelOrderByClientId', 'POST /bulk_order': 'BulkPlaceOrder',
    'PUT /bulk_order': 'BulkReplaceOrder', 'POST /mass-quote': 'MassQuote', 'POST /cancel-quotes': 'CancelQuotes',
    'POST /cancel-all': 'CancelAll', 'POST /void-nonces': 'VoidNonces', 'POST /cancel-after': 'CancelAfter',
    'POST /cancel-on-disconnect': 'SetCancelOnDisconnect', 'DELETE /bulk_order': 'BulkCancelOrder',
    'DELETE /bulk_order_cloid': 'BulkCancelOrderByClientId',
}
# At most, besides the body: id, field names and type.
_HEAD_BYTES = 64


@dataclass(eq=False, slots=True)
class _Sent:
    """One attempt of a request; `serial` is the request's place in the order. The result stays open while an answer may come."""

    serial: int
    kind: str
    rest: str
    count: list[int]
    result: asyncio.Future[Frame]

    def fail(self, error: StrikebookError) -> None:
        if not self.result.done():
            self.result.set_exception(error)


class OrderEntry:
    def __init__(self, say: Callable[[str], None], *, timeout: float = TIMEOUT, retries: int = RETRIES,
                 on_answer: OnAnswer | None = None, on_error: Callable[[BaseException], None] | None = None) -> None:
        self._say = say
        self._timeout = timeout
        self._retries = retries
        self._on_answer = on_answer
        self._on_error = on_error
        # By serial, which is the order of sending.
        self._waiting: list[_Sent] = []
        # In the order of sending, which is the order of answers.
        self._in_flight: deque[tuple[int, _Sent]] = deque()
        self._is_up = False
        self._is_held_back = False
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._last_id = 0
        self._last_serial = 0
        # Heartbeats without an answer while one is due.
        self._unanswered_beats = 0

    async def send(self, request: Request, *, timeout: float | None = None, retries: int | None = None,
                   on_answer: OnAnswer | None = None) -> Any:
        """Throws with the code that REST would use if there is no result."""
        kind = _TYPES.get(f'{request.method} {request.path}')
        if kind is None:
            raise StrikebookError('invalid_argument', f'{request.method} {request.path} does not go by socket')
        rest = '}' if request.body in (None, '{}') else f',{request.body[1:]}'
        # The venue would close the connection, with the other requests in flight.
        if len(kind) + len(rest.encode()) + _HEAD_BYTES > MESSAGE_BYTES:
            raise StrikebookError('payload_too_large', f'{kind} exceeds {MESSAGE_BYTES} bytes')
        self._last_serial += 1
        serial, count = self._last_serial, [0]
        carriage = Carriage(
            is_write=True, at_once=('timeout', 'no_answer'), timeout=self._timeout if timeout is None else timeout,
            retries=self._retries if retries is None else retries,
        )

        async def attempt(_: int) -> Any:
            frame = await self._once(serial, kind, rest, count)
            limit = frame.get('limit')
            facts = AnswerFacts(0, frame.get('replayed') is True, limit if isinstance(limit, int) else None, None, None, count[0])
            for listener in (self._on_answer, on_answer):
                call_listener(listener, facts, self._on_error)
            return _outcome_of(kind, frame)

        return decode(await self._unless_closed(with_retries(carriage, attempt)), request.answer)

    def take(self, frame: Frame) -> bool:
        number = frame.get('id')
        if isinstance(number, bool) or not any(one == number for one, _ in self._in_flight):
            return False
        lost = []
        while True:
            one, sent = self._in_flight.popleft()
            if one == number:
                break
            lost.append(sent)
        for earlier in lost:
            earlier.fail(StrikebookError('no_answer', f'{earlier.kind}: what was sent after it was answered first'))
        if not sent.result.done():
            sent.result.set_result(frame)
        self._unanswered_beats = 0
        if lost:
            self._hold_back()
        else:
            self._fill()
        return True

    def beat(self) -> bool:
        """Called per heartbeat. False if the connection no longer brings answers."""
        self._unanswered_beats = self._unanswered_beats + 1 if self._in_flight else 0
        return self._unanswered_beats < HEARTBEATS_TO_GIVE_UP

    def up(self) -> None:
        self._is_up = True
        self._fill()

    def down(self, reason: str) -> None:
        """The requests that have an attempt left wait again, in their order."""
        self._is_up = False
        self._unanswered_beats = 0
        while self._in_flight:
            _, sent = self._in_flight.popleft()
            sent.fail(StrikebookError('no_answer', f'{sent.kind}: {reason}'))

    def close(self) -> None:
        if not self._closed.done():
            self._closed.set_result(None)
        self._is_up = False

    async def _unless_closed(self, work: Any) -> Any:
        if self._closed.done():
            work.close()
            raise _closed_error()
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait([task, self._closed], return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise _closed_error()
            return task.result()
        finally:
            task.cancel()

    async def _once(self, serial: int, kind: str, rest: str, count: list[int]) -> Frame:
        sent = _Sent(serial, kind, rest, count, asyncio.get_running_loop().create_future())
        at = next((at for at, one in enumerate(self._waiting) if one.serial > serial), len(self._waiting))
        self._waiting.insert(at, sent)
        self._fill()
        try:
            return await sent.result
        finally:
            # Its place in flight stays until the venue has answered this or a later request.
            sent.result.cancel()
            if sent in self._waiting:
                self._waiting.remove(sent)

    def _hold_back(self) -> None:
        """Until the lost requests wait again, so that nothing newer goes first."""
        self._is_held_back = True
        asyncio.get_running_loop().call_later(0, self._release)

    def _release(self) -> None:
        self._is_held_back = False
        self._fill()

    def _fill(self) -> None:
        while self._is_up and not self._is_held_back and self._waiting and len(self._in_flight) < REQUESTS_IN_FLIGHT:
            sent = self._waiting.pop(0)
            self._last_id += 1
            sent.count[0] += 1
            self._in_flight.append((self._last_id, sent))
            self._say(f'{{"type":"{sent.kind}","id":{self._last_id}{sent.rest}')


def _outcome_of(kind: str, frame: Frame) -> Frame:
    """Throws if there is no result."""
    if _is_spent(frame):
        raise StrikebookError('rate_limit_exceeded', f'{kind}: rate_limit_exceeded', details=frame)
    if not _has_no_result(frame):
        return frame
    code = frame.get('error')
    message = frame.get('reason') or frame.get('message')
    raise StrikebookError(code if code in VENUE_CODES else 'bad_answer', f'{kind}: {message}', details=frame)


def _has_no_result(frame: Frame) -> bool:
    """Then an order lacks `info`, a mass quote has a code in `error`, and others have a `message`."""
    if frame['type'] == 'QuoteResult':
        return 'error' in frame
    return 'info' not in frame if frame['type'] == 'OrderResult' else 'message' in frame


def _is_spent(frame: Frame) -> bool:
    """A bulk refused for its rate is a 429 over REST; by socket each item says so."""
    return frame['type'] == 'BulkOrderResult' and 'retry_after_secs' in frame and all(
        item.get('error') == 'rate_limit_exceeded' for item in frame['results']
    )


def _closed_error() -> StrikebookError:
    return StrikebookError('closed', 'The socket was closed')
