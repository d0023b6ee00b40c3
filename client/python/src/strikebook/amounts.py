"""Sizes and prices as the text that is signed. Text is sent unchanged; nothing is rounded silently. The rules are the venue's."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from typing import Literal

from .errors import invalid

Amount = Decimal | str | int | float

_PLAIN = re.compile(r'[0-9]{1,20}(\.[0-9]{1,18})?')
_FIGURES = 5
_DECIMALS = 6
_STEP = Decimal(1).scaleb(-_DECIMALS)
# Figures of a float that are kept: the rest is the error of its computation.
_FLOAT_FIGURES = 14
_ROUNDING = {'down': ROUND_FLOOR, 'up': ROUND_CEILING, 'near': ROUND_HALF_EVEN}


def size_text(size: Amount) -> str:
    """Throws unless the size is positive and, as a number, has at most 6 decimals."""
    text = _plain_text(size, 'Size')
    if not isinstance(size, str) and _decimals_of(text) > _DECIMALS:
        raise invalid(f'Size {text} has more than {_DECIMALS} decimals')
    return text


def price_text(price: Amount) -> str:
    """Throws unless the price is positive, with at most 5 significant figures and 6 decimals."""
    text = _plain_text(price, 'Price')
    figures = len(text.replace('.', '').lstrip('0').rstrip('0'))
    if figures > _FIGURES:
        raise invalid(f'Price {text} has {figures} significant figures, maximum allowed is {_FIGURES}')
    if _decimals_of(text) > _DECIMALS:
        raise invalid(f'Price {text} has more than {_DECIMALS} decimals')
    return text


def round_price(price: Decimal | int | float, side: Literal['down', 'up', 'near']) -> Decimal:
    """The nearest valid price in this direction. Throws if it would be 0."""
    if not 0 < price <= 10**15:
        raise invalid(f'Price {price} must be greater than 0 and no more than 1e15')
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(f'{price:.{_FLOAT_FIGURES}g}') if isinstance(price, float) else Decimal(price)
        step = max(_STEP, Decimal(1).scaleb(exact.adjusted() - _FIGURES + 1))
        rounded = (exact / step).quantize(Decimal(1), rounding=_ROUNDING[side]) * step
        return Decimal(price_text(_trimmed(rounded)))


def text_of(amount: Amount) -> str:
    """The text of any amount, unchecked. A Decimal keeps its zeros; of a float it is the shortest text."""
    if isinstance(amount, str):
        return amount
    if isinstance(amount, bool) or not isinstance(amount, (int, float, Decimal)) or not math.isfinite(amount):
        return ''
    return f'{amount if isinstance(amount, Decimal) else _shortest(amount):f}'


def _shortest(amount: int | float) -> Decimal:
    return Decimal(int(amount)) if amount == int(amount) else Decimal(repr(amount))


def _plain_text(amount: Amount, name: str) -> str:
    text = text_of(amount)
    if _PLAIN.fullmatch(text) is None or text.strip('0.') == '':
        raise invalid(f'{name} must be greater than 0: {amount!r}')
    return text


def _trimmed(amount: Decimal) -> str:
    text = f'{amount:f}'
    return text.rstrip('0').rstrip('.') if '.' in text else text


def _decimals_of(text: str) -> int:
    return len(text.rstrip('0').partition('.')[2]) if '.' in text else 0
