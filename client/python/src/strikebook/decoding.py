"""Records from JSON. A record ignores fields that it does not know, so that a newer venue can be read."""

import json
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, dataclass_transform, get_args, get_origin, get_type_hints

from .errors import StrikebookError

Decoder = Callable[[Any], Any]


@dataclass_transform(frozen_default=True, kw_only_default=True)
def record(cls: type) -> type:
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


def parse_json(text: str | bytes) -> Any:
    """Numbers with a point are read as Decimal, without rounding. Throws ValueError."""
    return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)


def decode(value: Any, hint: Any) -> Any:
    """The value as the type says. Throws `bad_answer`."""
    return decoder_of(hint)(value)


@cache
def decoder_of(hint: Any) -> Decoder:
    if hint is Decimal:
        return _decimal
    if is_dataclass(hint):
        return _record_decoder(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _union_decoder(args)
    if origin is tuple:
        return _list_decoder(args)
    if origin is dict:
        inner = decoder_of(args[1])
        return lambda value: {name: inner(item) for name, item in _of(dict, value).items()}
    if hint in (int, str, bool):
        return lambda value: _of(hint, value)
    # Fixed words too: a newer venue may have more of them.
    return lambda value: value


def _of(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise StrikebookError('bad_answer', f'{value!r} is not of type {kind.__name__}')
    return value


def _decimal(value: Any) -> Decimal:
    if isinstance(value, Decimal):
        return value
    try:
        number = Decimal(_of(str, value) if not isinstance(value, int) else value)
    except InvalidOperation:
        number = Decimal('NaN')
    if isinstance(value, bool) or not number.is_finite():
        raise StrikebookError('bad_answer', f'{value!r} is not an amount')
    return number


def _record_decoder(cls: Any) -> Decoder:
    hints = get_type_hints(cls)
    rows = [(field.name, decoder_of(hints[field.name]), field.default is MISSING) for field in fields(cls)]

    def decode_record(value: Any) -> Any:
        values = {}
        for name, inner, is_required in rows:
            if name in _of(dict, value):
                values[name] = inner(value[name])
            elif is_required:
                raise StrikebookError('bad_answer', f'{cls.__name__} lacks {name}', details=value)
        return cls(**values)

    return decode_record


def _list_decoder(args: tuple[Any, ...]) -> Decoder:
    if args[-1] is Ellipsis:
        inner = decoder_of(args[0])
        return lambda value: tuple(inner(item) for item in _of(list, value))
    inners = tuple(decoder_of(arg) for arg in args)

    def decode_tuple(value: Any) -> Any:
        if len(_of(list, value)) != len(inners):
            raise StrikebookError('bad_answer', f'{len(value)} values instead of {len(inners)}', details=value)
        return tuple(inner(item) for inner, item in zip(inners, value))

    return decode_tuple


def _union_decoder(args: tuple[Any, ...]) -> Decoder:
    """None, and one type or several records. The first record that fits is taken: its constants are equal, no field is missing."""
    forms = [arg for arg in args if arg is not NoneType]
    if not all(is_dataclass(form) for form in forms):
        inner = decoder_of(forms[0]) if len(forms) == 1 else lambda value: value
        return lambda value: None if value is None else inner(value)
    rows = [(_fits(form), decoder_of(form)) for form in forms]

    def decode_union(value: Any) -> Any:
        if value is None and NoneType in args:
            return None
        for fits, inner in rows:
            if fits(_of(dict, value)):
                return inner(value)
        # Tells what is missing.
        return rows[0][1](value)

    return decode_union


def _fits(cls: Any) -> Callable[[dict[str, Any]], bool]:
    hints = get_type_hints(cls)
    constants = {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is Literal and len(get_args(hint)) == 1}
    required = [field.name for field in fields(cls) if field.default is MISSING]
    return lambda value: (
        all(name in value for name in required) and all(value.get(name) == constant for name, constant in constants.items())
    )


def _refuse_constant(name: str) -> Any:
    raise ValueError(f'{name} is not JSON')
