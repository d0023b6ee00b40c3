"""The error that this library throws. Its code is the venue's, or the library's own if no answer came."""

from typing import Any

CLIENT_CODES = (
    # The venue would refuse this value. Nothing was signed or sent.
    'invalid_argument',
    # The request may have acted. Send the same signed request again to find out.
    'timeout',
    # The connection failed, or a proxy or a later request was answered first: the request may have acted.
    'no_answer',
    # The answer is not JSON, not a venue's, or has no error code, with a status below 500.
    'bad_answer',
    # A stream has more unread messages than its limit.
    'overflow',
    'closed',
    'subscription_refused',
)


class StrikebookError(Exception):
    """`status` is 0 if there was no answer. `details` is the whole body of the answer, or whatever else is known."""

    def __init__(self, code: str, message: str, *, status: int = 0, details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.details = details

    def __str__(self) -> str:
        return f'{self.code}: {self.message}'


def invalid(message: str) -> StrikebookError:
    return StrikebookError('invalid_argument', message)
