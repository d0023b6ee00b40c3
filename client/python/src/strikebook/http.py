"""Requests to one venue over HTTP/1.1. After a lost answer or a busy venue, the same signed bytes are sent again."""

import asyncio
import gzip
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ssl import SSLContext, create_default_context
from typing import Any
from urllib.parse import urlsplit

from .decoding import decode, parse_json
from .errors import StrikebookError, invalid
from .retries import RETRIES, TIMEOUT, AnswerFacts, Carriage, OnAnswer, with_retries
from .tables import VENUE_CODES

JSON_TYPE = 'application/json'
# A kept connection is used within this time; the venue closes an idle one after 8 s.
_IDLE = 5.0
_HEAD_BYTES = 1 << 16
# An answer of this status or above without a venue's code counts as lost: it comes from a proxy.
_FAILURES = 500


@dataclass(frozen=True, slots=True)
class Request:
    """`answer`: the type of the answer; `None` if it is empty. `accept`: an answer in another format than JSON is its text."""

    method: str
    path: str
    answer: Any = None
    body: str | None = None
    accept: str = JSON_TYPE


@dataclass(frozen=True, slots=True)
class HttpOptions:
    timeout: float = TIMEOUT
    retries: int = RETRIES
    headers: Mapping[str, str] | None = None
    on_answer: OnAnswer | None = None
    # Gets exceptions of `on_answer`.
    on_error: Callable[[BaseException], None] | None = None
    ssl: SSLContext | None = None


@dataclass(slots=True)
class _Connection:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    idle_since: float = 0.0
    uses: int = 0


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Http:
    def __init__(self, url: str, options: HttpOptions = HttpOptions()) -> None:
        self.url = url.rstrip('/')
        parts = urlsplit(self.url)
        if parts.scheme not in ('http', 'https') or parts.hostname is None:
            raise invalid(f'{url} is not an address with http or https')
        self._parts = parts
        self._options = options
        self._kept: list[_Connection] = []

    async def send(self, request: Request, *, timeout: float | None = None, retries: int | None = None,
                   on_answer: OnAnswer | None = None) -> Any:
        """The body as a record. Throws unless the answer is a 2xx that fits."""
        own = self._options
        carriage = Carriage(
            is_write=request.method != 'GET', at_once=('timeout',),
            timeout=own.timeout if timeout is None else timeout, retries=own.retries if retries is None else retries,
        )

        async def attempt(number: int) -> Any:
            answer = await self._exchange(request)
            self._report(_facts_of(answer, number), (own.on_answer, on_answer))
            return _body_of(answer, request)

        body = await with_retries(carriage, attempt)
        return body if request.accept != JSON_TYPE or request.answer is None else decode(body, request.answer)

    async def close(self) -> None:
        for connection in self._kept:
            connection.writer.close()
        self._kept.clear()

    def _report(self, facts: AnswerFacts, listeners: tuple[OnAnswer | None, ...]) -> None:
        for listener in listeners:
            call_listener(listener, facts, self._options.on_error)

    async def _exchange(self, request: Request) -> _Answer:
        """A read goes to a new connection if a kept one has ended meanwhile."""
        what = f'{request.method} {request.path}'
        while True:
            connection = self._take() or await self._connect(what)
            may_repeat = connection.uses > 0 and request.method == 'GET'
            connection.uses += 1
            is_whole = False
            try:
                connection.writer.write(self._bytes_of(request))
                await connection.writer.drain()
                answer, is_open = await _read_answer(connection.reader, request.method)
                is_whole = True
                if is_open:
                    connection.idle_since = time.monotonic()
                    self._kept.append(connection)
                else:
                    connection.writer.close()
                return answer
            except asyncio.IncompleteReadError as error:
                if may_repeat and len(error.partial) == 0:
                    continue
                raise StrikebookError('no_answer', f'{what}: the connection ended') from error
            except (OSError, ValueError, asyncio.LimitOverrunError) as error:
                if may_repeat and isinstance(error, ConnectionError):
                    continue
                raise StrikebookError('no_answer', f'{what}: {error or type(error).__name__}') from error
            finally:
                if not is_whole:
                    connection.writer.transport.abort()

    def _take(self) -> _Connection | None:
        while self._kept:
            connection = self._kept.pop()
            if time.monotonic() - connection.idle_since < _IDLE and not connection.reader.at_eof():
                return connection
            connection.writer.close()
        return None

    async def _connect(self, what: str) -> _Connection:
        parts = self._parts
        is_secure = parts.scheme == 'https'
        try:
            reader, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if is_secure else 80), limit=_HEAD_BYTES,
                ssl=(self._options.ssl or create_default_context()) if is_secure else None,
            )
        except OSError as error:
            raise StrikebookError('no_answer', f'{what}: {error}') from error
        return _Connection(reader, writer)

    def _bytes_of(self, request: Request) -> bytes:
        body = (request.body or '').encode()
        content = {} if request.body is None else {'content-type': JSON_TYPE, 'content-length': str(len(body))}
        headers = {
            'host': self._parts.netloc.rpartition('@')[2], 'accept': request.accept, 'accept-encoding': 'gzip', **content,
            **(self._options.headers or {}),
        }
        lines = ''.join(f'{name}: {value}\r\n' for name, value in headers.items())
        return f'{request.method} {self._parts.path}{request.path} HTTP/1.1\r\n{lines}\r\n'.encode() + body


def call_listener(listener: Callable[..., Any] | None, value: Any, on_error: Callable[[BaseException], None] | None) -> None:
    """Exceptions of listeners never change a result."""
    if listener is None:
        return
    try:
        listener(value)
    except Exception as error:
        if on_error is not None and on_error is not listener:
            call_listener(on_error, error, None)


async def _read_answer(reader: asyncio.StreamReader, method: str) -> tuple[_Answer, bool]:
    """And whether the connection can be used again."""
    while True:
        head = (await reader.readuntil(b'\r\n\r\n')).decode('latin-1')
        status_line, *lines = head.split('\r\n')[:-2]
        version, status_text, *_ = f'{status_line} '.split(' ', 2)
        status = int(status_text)
        if not version.startswith('HTTP/'):
            raise ValueError('the answer is not HTTP')
        if status >= 200:
            break
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(':')
        headers[name.strip().lower()] = value.strip()
    is_bounded = True
    if method == 'HEAD' or status in (204, 304):
        body = b''
    elif 'chunked' in headers.get('transfer-encoding', '').lower():
        body = await _read_chunks(reader)
    elif 'content-length' in headers:
        body = await _rest_of(reader.readexactly(int(headers['content-length'])))
    else:
        body, is_bounded = await reader.read(), False
    if headers.get('content-encoding') == 'gzip':
        try:
            body = gzip.decompress(body)
        except (EOFError, OSError) as error:
            raise ValueError('the answer is not the gzip that it claims to be') from error
    is_open = is_bounded and version == 'HTTP/1.1' and headers.get('connection', '').lower() != 'close'
    return _Answer(status, headers, body), is_open


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while True:
        size = int((await _rest_of(reader.readuntil(b'\r\n'))).split(b';')[0], 16)
        part = await _rest_of(reader.readexactly(size + 2))
        if size == 0:
            return b''.join(parts)
        parts.append(part[:-2])


async def _rest_of(read: Any) -> bytes:
    """An answer that has begun is not asked for again on another connection."""
    try:
        return await read
    except asyncio.IncompleteReadError as error:
        raise ValueError('the answer is cut off') from error


def _body_of(answer: _Answer, request: Request) -> Any:
    status, headers = answer.status, answer.headers
    kind = headers.get('content-type', '')
    is_text = request.accept != JSON_TYPE and kind.startswith(request.accept)
    text = answer.body.decode('utf-8', 'replace')
    if is_text and 200 <= status < 300:
        return text
    try:
        body = None if text == '' else parse_json(text)
    except ValueError as error:
        message = f'The answer, of status {status}, is not JSON: {text[:200]}'
        raise StrikebookError(_strange_code(status), message, status=status, details=text) from error
    if 200 <= status < 300:
        return body
    fields = body if isinstance(body, dict) else {}
    code = fields.get('error')
    # GET /ready has no error code.
    known = code if code in VENUE_CODES else 'not_ready' if status == 503 else _strange_code(status)
    if 'retry-after' in headers and headers['retry-after'].isdigit() and isinstance(body, dict):
        body = {'retry_after_secs': int(headers['retry-after']), **body}
    raise StrikebookError(
        known, f'{request.method} {request.path}: {fields.get("message") or code or status}', status=status, details=body,
    )


def _strange_code(status: int) -> str:
    return 'no_answer' if status >= _FAILURES else 'bad_answer'


def _facts_of(answer: _Answer, attempts: int) -> AnswerFacts:
    def number(name: str) -> int | None:
        text = answer.headers.get(name, '')
        return int(text) if text.isdigit() else None

    return AnswerFacts(
        status=answer.status, is_replay=answer.headers.get('idempotent-replay') == 'true', limit=number('x-ratelimit-limit'),
        remaining=number('x-ratelimit-remaining'), reset=number('x-ratelimit-reset'), attempts=attempts,
    )
