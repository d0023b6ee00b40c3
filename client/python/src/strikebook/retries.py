"""When and how often a request is sent again, the same for REST and the socket. Times of this library are seconds."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from .errors import StrikebookError

TIMEOUT = 10.0
RETRIES = 4
_FIRST_WAIT = 0.05
_LONGEST_WAIT = 2.0
# A write's result is unknown. `internal_error` may mean that it was not durable in time.
_UNKNOWN = ('timeout', 'no_answer', 'internal_error')
_BUSY = ('engine_busy', 'not_ready')
# Decided before the nonce is checked, so they do not tell whether an earlier attempt acted.
_DECIDED_BEFORE_NONCE = (*_BUSY, 'rate_limit_exceeded', 'unauthorized', 'request_timeout', 'bad_answer')
# Of items of a bulk that did not act or whose result is unknown.
_OPEN_ITEMS = ('Failed to send order to engine', 'No response from engine')


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """From headers or a socket message; None if absent. `status` is 0 by socket. `reset` is in seconds since the epoch."""

    status: int
    is_replay: bool
    limit: int | None
    remaining: int | None
    reset: int | None
    attempts: int


OnAnswer = Callable[[AnswerFacts], None]


@dataclass(frozen=True, slots=True)
class Carriage:
    """`timeout` is for each attempt. Codes of `at_once` are retried without a pause."""

    is_write: bool
    at_once: tuple[str, ...]
    timeout: float = TIMEOUT
    retries: int = RETRIES


async def with_retries(carriage: Carriage, attempt: Callable[[int], Awaitable[Any]]) -> Any:
    """Repeats the attempt until an answer, or an error that a retry would not change.

    If one attempt may have acted, only an answer or a refusal of the request itself settles the result.
    """
    lost: StrikebookError | None = None
    number = 0
    while True:
        number += 1
        refused: StrikebookError | None = None
        try:
            async with asyncio.timeout(carriage.timeout) as limit:
                answer = await attempt(number)
            if number > carriage.retries or not carriage.is_write or not has_open_items(answer):
                return answer
            lost = StrikebookError('no_answer', 'Items of the bulk have no outcome', details=answer)
        except (StrikebookError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                if not limit.expired():
                    raise
                refused = StrikebookError('timeout', f'no answer within {carriage.timeout} s')
            else:
                refused = error
            if carriage.is_write and refused.code in _UNKNOWN:
                lost = refused
            if number > carriage.retries or not _is_retryable(refused, carriage.is_write):
                raise _final_error(refused, lost) from (refused if lost not in (None, refused) else None)
            if refused.code in carriage.at_once:
                continue
        await asyncio.sleep(_delay_of(refused, number))


def has_open_items(answer: Any) -> bool:
    """Items that the same bytes may settle when they are sent again."""
    results = answer.get('results') if isinstance(answer, dict) else None
    return isinstance(results, list) and any(isinstance(item, dict) and item.get('error') in _OPEN_ITEMS for item in results)


def _is_retryable(error: StrikebookError, is_write: bool) -> bool:
    return error.code in _BUSY or (error.code in _UNKNOWN and (is_write or error.code != 'internal_error'))


def _final_error(last: StrikebookError, lost: StrikebookError | None) -> StrikebookError:
    """An unknown result wins over a last error that does not settle it."""
    if lost is None or last.code not in _DECIDED_BEFORE_NONCE:
        return last
    return StrikebookError(lost.code, f'{lost.message}; the last attempt: {last.message}', status=lost.status, details=lost.details)


def _delay_of(refused: StrikebookError | None, attempt: int) -> float:
    """Doubles with each attempt, but not less than the venue asked for."""
    details = refused.details if refused is not None else None
    asked = details.get('retry_after_secs') if isinstance(details, dict) else None
    own = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1)) * random.uniform(0.5, 1)
    return max(own, float(asked) if isinstance(asked, (int, float)) else 0.0)
