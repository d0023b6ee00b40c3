"""What the tests share: the venue that runs beside them, traders, and one line for the caller about each test."""

import asyncio
import functools
import json
import os
from decimal import Decimal
from pathlib import Path

import pytest

from strikebook import Operator, connect, create_private_key

URL = os.environ.get('STRIKEBOOK_URL', 'http://127.0.0.1:8080')
TOKEN = os.environ.get('STRIKEBOOK_TOKEN', '')
VECTORS = Path(__file__).parent.parent / 'vectors'
# BTC and ETH.
INDEX = {'BTC': Decimal(100_000), 'ETH': Decimal(3_000)}
LONGEST = float(os.environ.get('STRIKEBOOK_LONGEST', 60))
# A file descriptor.
REPORTS = os.environ.get('STRIKEBOOK_REPORTS')


def vectors(name):
    return json.loads((VECTORS / name).read_text())


def in_loop(test):
    """A test that is a coroutine. Fails if it leaves a task behind or takes a minute."""
    @functools.wraps(test)
    def run(*args, **kwargs):
        async def main():
            async with asyncio.timeout(LONGEST):
                await test(*args, **kwargs)
            left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            assert left == []

        asyncio.run(main())

    return run


async def open_market(url=URL):
    """Gives both underlyings a price and waits for their contracts."""
    async with Operator(url, TOKEN) as operator:
        for underlying, price in INDEX.items():
            await operator.act('POST /admin/index-price', underlying=underlying, price=price)
    async with connect(url) as venue:
        while not (await venue.get_instruments(currency='BTC') and (await venue.get_orderbook(instrument_name='BTC-PERP')).mark_price):
            await asyncio.sleep(0.02)


@pytest.fixture(scope='session', autouse=True)
def market(request):
    if TOKEN:
        asyncio.run(open_market())


def trader(**options):
    """A client with a wallet of its own."""
    return connect(URL, **{'signer': create_private_key(), **options})


async def option(venue):
    """The call nearest the money of the last expiry."""
    calls = [one for one in await venue.get_instruments(currency='BTC') if one.option_type == 'call']
    last = max(one.expiration_timestamp for one in calls)
    return min((one for one in calls if one.expiration_timestamp == last), key=lambda one: abs(one.strike - INDEX['BTC'])).instrument_name


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    is_last = report.when == 'call' or report.outcome != 'passed'
    if is_last and not (report.when == 'teardown' and report.outcome == 'passed'):
        title = ' '.join((item.function.__doc__ or item.name).split()).rstrip('.')
        name = f'{title} ({item.callspec.id})' if hasattr(item, 'callspec') else title
        where = report.longrepr
        reason = where[2] if report.outcome == 'skipped' and isinstance(where, tuple) else str(where or '')
        line = json.dumps({'title': name, 'outcome': report.outcome, 'reason': reason})
        if REPORTS is not None:
            os.write(int(REPORTS), f'{line}\n'.encode())
