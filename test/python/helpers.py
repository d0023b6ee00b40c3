"""What the tests of REST and of the socket share."""

import asyncio
from decimal import Decimal

import pytest
from faults import INFO

from strikebook import Forms, PrivateKeySigner, StrikebookError, VenueSocket, records
from strikebook.decoding import decode
from strikebook.trading import Account

LOW = Decimal(90_000)
BID = {'symbol': 'BTC-PERP', 'side': 'Buy', 'size': '0.1', 'price': LOW}
# Options of a socket that reconnects at once.
FAST = {'first_wait': 0.02, 'longest_wait': 0.1}
SECRET = '11' * 32


async def refusal(work, code):
    """The error of a call that must fail with this code."""
    with pytest.raises(StrikebookError) as caught:
        await work
    assert caught.value.code == code, caught.value
    return caught.value


async def until(is_so):
    while not is_so():
        await asyncio.sleep(0.005)


async def take(stream, count):
    return [await anext(stream) for _ in range(count)]


def scripted_client(url, **options):
    """A socket with a signer, to a server that is no venue."""
    signer = PrivateKeySigner(SECRET)
    return VenueSocket(url, options, Account(signer, Forms(decode(INFO, records.ExchangeInfoAnswer), signer.address)))
