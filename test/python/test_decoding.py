"""Records from JSON: exact amounts, unions, newer and broken answers."""

import random
from decimal import Decimal
from typing import Any, Literal

import pytest

from strikebook import StrikebookError, messages, records
from strikebook.decoding import decode, decoder_of, parse_json, record
from strikebook.stream import Stream
from strikebook.tables import ANSWERS, CHANNELS
from strikebook.venue import body_text, path_of

RANDOM = random.Random(3)


@record
class Inner:
    price: Decimal
    kind: Literal['a']


@record
class Other:
    price: Decimal
    kind: Literal['b']
    more: int | None = None


@record
class Outer:
    amount: Decimal
    forms: tuple[Inner | Other, ...]
    pair: tuple[Decimal, int]
    rest: dict[str, Decimal]
    note: str | None = None
    any: Any = None


GOOD = '{"amount":"1.10","forms":[{"price":2,"kind":"b"},{"price":0.1,"kind":"a"}],"pair":["3",4],"rest":{"x":1e-7}}'


def bad(text, hint=Outer):
    with pytest.raises(StrikebookError) as caught:
        decode(parse_json(text), hint)
    assert caught.value.code == 'bad_answer'


def test_record():
    """A record has exact amounts, whether they were sent as texts, whole numbers or fractions"""
    found = decode(parse_json(GOOD), Outer)
    assert str(found.amount) == '1.10' and found.rest == {'x': Decimal('1E-7')} and found.pair == (3, 4)
    assert found.forms == (Other(price=Decimal(2), kind='b'), Inner(price=Decimal('0.1'), kind='a'))
    assert (found.note, found.any) == (None, None)
    with pytest.raises(AttributeError):
        found.amount = 2


def test_newer():
    """Fields and fixed words of a newer venue do not break a record"""
    found = decode(parse_json('{"price":"1","kind":"new","extra":[1]}'), Inner)
    assert found.kind == 'new' and not hasattr(found, 'extra')


def test_broken():
    """An answer that does not fit is refused as bad_answer, and says what is wrong"""
    assert decode(parse_json(GOOD.replace('"pair"', '"note":null,"pair"')), Outer).note is None
    for wrong in (
        '[]', '3', '{}', GOOD.replace('"1.10"', '"x"'), GOOD.replace('"1.10"', 'true'), GOOD.replace('"1.10"', 'null'),
        GOOD.replace('"1.10"', '"NaN"'), GOOD.replace('"1.10"', '"Infinity"'), GOOD.replace('["3",4]', '["3"]'),
        GOOD.replace('"kind":"a"', '"kind":"c"').replace('"kind":"b"', '"kind":"c"').replace('"price":2,', ''),
        GOOD.replace('{"x":1e-7}', '[]'), GOOD.replace('["3",4]', '["3","4"]'),
    ):
        bad(wrong)
    for wrong in ('NaN', '{"a":Infinity}', '-Infinity', '{'):
        with pytest.raises(ValueError):
            parse_json(wrong)


def test_exactness():
    """Property: an amount of any number of digits is read without rounding"""
    for _ in range(300):
        text = f'{RANDOM.getrandbits(RANDOM.randrange(1, 120))}.{RANDOM.randrange(10**18):018}'
        assert str(decode(parse_json(text), Decimal)) == text == str(decode(text, Decimal))
    assert decode(parse_json('18446744073709551615'), int) == 2**64 - 1


def test_tables():
    """Every answer and message has a record that can be read, and every channel's messages are known"""
    for route, name in ANSWERS.items():
        if name != 'None' and not name.startswith('dict'):
            kind = name.removeprefix('tuple[').removesuffix(', ...]')
            assert callable(decoder_of(getattr(records, kind))), route
    kinds = {kind for channel in CHANNELS.values() for kind in channel['messages']}
    assert kinds == set(messages.MESSAGES)
    for kind in messages.MESSAGES.values():
        decoder_of(kind)


def test_requests():
    """Paths and bodies leave out what is None, and keep the text of a Decimal"""
    assert path_of('/a/{id}', {'id': 'x/y', 'b': None, 'c': True, 'd': ('p', 'q'), 'e': Decimal('1.0')}) == '/a/x%2Fy?c=true&d=p%2Cq&e=1.0'
    assert path_of('/a', {'b': None}) == '/a'
    assert body_text({'a': Decimal('1.0'), 'b': None, 'c': 'ü'}) == '{"a":"1.0","c":"ü"}'


def test_stream():
    """Property: a stream gives what was pushed, in order; with a key only the newest of each; an end comes after all unread"""
    for _ in range(100):
        stream, expected = Stream(1_000, lambda: None), []
        for number in range(RANDOM.randrange(1, 30)):
            key = RANDOM.choice([None, 'a', 'b'])
            same = next((one for one in expected if key is not None and one[0] == key), None)
            if same is None:
                expected.append([key, number])
            else:
                same[1] = number
            stream.push(number, key)
            if RANDOM.random() < 0.3 and expected:
                assert step(stream) == expected.pop(0)[1]
        assert stream.waiting == len(expected)
        stream.end(StrikebookError('closed', 'over'))
        stream.push(99, None)
        for _, number in expected:
            assert step(stream) == number
        with pytest.raises(StrikebookError):
            step(stream)
        with pytest.raises(StopAsyncIteration):
            step(stream)


def step(stream):
    """The next message, which must be there."""
    try:
        stream.__anext__().send(None)
    except StopIteration as found:
        return found.value
    raise AssertionError('nothing was unread')
