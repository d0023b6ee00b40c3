"""A WebSocket that reconnects until it is closed, and the requests for subscriptions, one at a time.

It detects silence by asking. Frames go out in the order in which they were said.
"""

import asyncio
import json
import random
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from ssl import SSLContext
from typing import Any, Protocol

import websockets
from websockets.exceptions import ConnectionClosed, WebSocketException

from .decoding import parse_json
from .errors import StrikebookError
from .tables import MESSAGES_A_SECOND

Frame = Mapping[str, Any]
Answered = Callable[[Frame], None]

HEARTBEAT = 15.0
FIRST_WAIT = 0.1
LONGEST_WAIT = 5.0
# For a venue that talks but does not answer.
HEARTBEATS_TO_GIVE_UP = 4
# For the peer's close frame.
_LEAVE = 3.0
# Half the venue's limit, because two bursts may fall into one of its seconds.
_ASKS_IN_A_ROW = MESSAGES_A_SECOND // 2
# Turns of the loop after an answer, before later messages are handled: enough for a caller behind `gather` or `wait_for`.
_TURNS = 8
# Unsubscribes from nothing; the venue only answers.
_PROBE = {'type': 'Unsubscribe', 'channel': 'trades', 'symbols': ['-']}
# Not named by the types of older versions.
_connect: Any = getattr(websockets, 'connect')
# The streams of this connection are lost: reconnect.
_CLIENT_LOST = 'Client not found'
# Prefix of request ids. A message with an older id is a further Error about a request already refused.
_ASKED = 'ask '


class Owner(Protocol):
    def up(self, hello: Frame) -> None: ...

    def down(self, reason: str) -> None: ...

    def message(self, frame: Frame) -> bool:
        """True if it answered a request."""

    def beat(self) -> bool:
        """False if requests are no longer answered."""

    def fault(self, error: BaseException) -> None: ...


class Connection:
    def __init__(self, url: str, owner: Owner, *, heartbeat: float = HEARTBEAT, first_wait: float = FIRST_WAIT,
                 longest_wait: float = LONGEST_WAIT, ssl: SSLContext | None = None) -> None:
        self.is_open = False
        self.longest_wait = longest_wait
        self._url = url
        self._owner = owner
        self._heartbeat = heartbeat
        self._first_wait = first_wait
        self._ssl = {} if ssl is None else {'ssl': ssl}
        self._outbox: deque[str] = deque()
        self._news = asyncio.Event()
        self._turns: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._question: tuple[str, str, asyncio.Future[None], Answered] | None = None
        self._last_id = 0
        self._asked = 0
        self._failures = 0
        self._heard_something = False
        self._lost: asyncio.Future[str] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._take_turns())]

    def say(self, text: str) -> None:
        """Requires `is_open`."""
        self._outbox.append(text)
        self._news.set()

    def turn(self, work: Callable[[], Awaitable[None]]) -> None:
        """After all earlier turns. Only in a turn may `ask` be called."""
        self._turns.put_nowait(work)

    async def ask(self, frame: Frame, answered: Answered = lambda _: None) -> None:
        """`answered` gets the answer before later messages are handled.

        Throws `subscription_refused` with the venue's first Error as `details`, or `no_answer` if the connection was lost.
        """
        self._asked += 1
        if self._asked % _ASKS_IN_A_ROW == 0:
            await asyncio.sleep(1)
        if not self.is_open:
            raise StrikebookError('no_answer', 'The socket is not connected')
        self._last_id += 1
        number = f'{_ASKED}{self._last_id}'
        future = asyncio.get_running_loop().create_future()
        self._question = (number, f'{frame["type"]}d', future, answered)
        self.say(json.dumps({**frame, 'id': number}))
        late = asyncio.get_running_loop().call_later(
            HEARTBEATS_TO_GIVE_UP * self._heartbeat, self._lose, f'no answer to {frame["type"]}',
        )
        try:
            await future
        finally:
            late.cancel()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.is_open:
            self._end('closed')
        await asyncio.gather(*self._leaving, return_exceptions=True)

    async def _take_turns(self) -> None:
        while True:
            work = await self._turns.get()
            try:
                await work()
            except Exception as error:
                self._owner.fault(error)

    async def _run(self) -> None:
        while True:
            reason = await self._one_connection()
            wait = min(self.longest_wait, self._first_wait * 2 ** min(self._failures, 20))
            self._failures += 1
            self._end(reason)
            await asyncio.sleep(wait * random.uniform(0.5, 1))

    def _end(self, reason: str) -> None:
        self.is_open = False
        self._outbox.clear()
        question, self._question = self._question, None
        if question is not None and not question[2].done():
            question[2].set_exception(StrikebookError('no_answer', reason))
        self._owner.down(reason)

    def _lose(self, reason: str) -> None:
        if self._lost is not None and not self._lost.done():
            self._lost.set_result(reason)

    async def _one_connection(self) -> str:
        """Why it ended."""
        self._lost = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._heartbeat):
                socket: Any = await _connect(
                    self._url, max_size=None, max_queue=None, ping_interval=None, compression=None, close_timeout=_LEAVE, **self._ssl,
                )
        except TimeoutError:
            return 'not connected in time'
        except (OSError, ValueError, EOFError, WebSocketException) as error:
            return str(error) or type(error).__name__
        tasks = [asyncio.create_task(work) for work in (self._read(socket), self._write(socket), self._beat())]
        try:
            ends: list[asyncio.Future[Any]] = [*tasks, self._lost]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            return self._lost.result() if self._lost.done() else 'the connection ended'
        finally:
            for task in tasks:
                task.cancel()
            leaving = asyncio.create_task(_leave(socket))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)

    async def _read(self, socket: Any) -> None:
        try:
            while True:
                text = await socket.recv()
                self._heard_something = True
                try:
                    frame = parse_json(text)
                except ValueError:
                    return self._lose('a message that is not JSON')
                if self._received(frame):
                    for _ in range(_TURNS):
                        await asyncio.sleep(0)
        except ConnectionClosed as error:
            close = error.rcvd
            self._lose((close.reason if close is not None else '') or 'the connection ended')
        except Exception as error:
            self._owner.fault(error)
            self._lose(f'a message could not be handled: {error}')

    async def _write(self, socket: Any) -> None:
        try:
            while True:
                while self._outbox:
                    await socket.send(self._outbox.popleft())
                self._news.clear()
                await self._news.wait()
        except ConnectionClosed:
            # Messages that came before the end are still read.
            pass

    async def _beat(self) -> None:
        await asyncio.sleep(self._heartbeat)
        if not self.is_open:
            return self._lose('not connected in time')
        is_silent = False
        while True:
            self._heard_something = False
            await asyncio.sleep(self._heartbeat)
            is_heard = self._heard_something
            if is_silent and not is_heard:
                return self._lose('silence')
            if not self._owner.beat():
                return self._lose('no answer to requests')
            if is_heard:
                self._failures = 0
            elif self._question is None:
                self.turn(self._probe)
            is_silent = not is_heard

    async def _probe(self) -> None:
        try:
            await self.ask(_PROBE)
        except StrikebookError:
            pass

    def _received(self, frame: Frame) -> bool:
        """True if it answered something."""
        if not self.is_open:
            if frame.get('type') == 'Hello':
                self.is_open = True
                self._asked = 0
                self._owner.up(frame)
            return False
        if frame.get('type') == 'Error' and frame.get('message') == _CLIENT_LOST:
            # Reconnecting restores our subscriptions.
            self._lose(_CLIENT_LOST)
            return False
        question = self._question
        if question is not None and frame.get('id') == question[0] and frame.get('type') in (question[1], 'Error'):
            self._question = None
            self._answer(question, frame)
            return True
        number = frame.get('id')
        return not (isinstance(number, str) and number.startswith(_ASKED)) and self._owner.message(frame)

    def _answer(self, question: tuple[str, str, asyncio.Future[None], Answered], frame: Frame) -> None:
        _, _, future, answered = question
        if future.done():
            return
        if frame['type'] == 'Error':
            future.set_exception(StrikebookError('subscription_refused', str(frame.get('message')), details=frame))
        else:
            answered(frame)
            future.set_result(None)


async def _leave(socket: Any) -> None:
    try:
        await socket.close()
    except Exception:
        socket.transport.abort()
