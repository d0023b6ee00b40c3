"""The examples and the README work, as they stand, against a venue."""

import asyncio
import os
import re
import subprocess
import sys
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import INDEX, TOKEN, URL, in_loop, option, trader

import strikebook
from strikebook import Operator, connect, create_private_key
from strikebook.signer import PrivateKeySigner

PACKAGE = Path(__file__).parents[2] / 'client/python'
README = (PACKAGE / 'README.md').read_text()
# What documents promise.
MAKER_LINES = 40
README_LINES = 100
# Of the surface of the smile; the volatility is that of no other surface here.
ATM, SKEW, CURVATURE = Decimal('0.73'), Decimal('-0.1'), Decimal('0.4')
EXPIRY = re.compile(r'BTC-(\d{4})(\d{2})(\d{2})-')


def python(path, *args, **environment):
    run = subprocess.run(
        [sys.executable, path, *args], env={**os.environ, 'STRIKEBOOK_URL': URL, **environment}, capture_output=True, text=True, timeout=60,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@in_loop
async def test_maker():
    """The market maker of 40 lines quotes the contracts of a chain around their marks, with one signature"""
    path = PACKAGE / 'examples/maker.py'
    assert len(path.read_text().splitlines()) <= MAKER_LINES
    key = create_private_key()
    wallet = PrivateKeySigner(key).address
    async with connect(URL) as venue, trader() as taker:
        expiry = '-'.join(EXPIRY.match(await option(venue)).groups())
        maker = asyncio.create_task(asyncio.to_thread(python, path, 'BTC', expiry, STRIKEBOOK_KEY=key, ROUNDS='1'))
        rows = ()
        while len(rows) < 50:
            rows = (await venue.get_orders(wallet=wallet, status='open')).data
            await asyncio.sleep(0.05)
        for row in rows[:6]:
            book = await venue.get_orderbook(instrument_name=row.symbol)
            ratio = row.price / book.mark_price
            assert Decimal('0.94') < ratio < 1 if row.side == 'Buy' else 1 < ratio < Decimal('1.06')
            assert row.quote_set == 'chain'
        side = 'Sell' if rows[0].side == 'Buy' else 'Buy'
        taken = await taker.place_order(symbol=rows[0].symbol, side=side, size='0.1', price=rows[0].price, tif='ioc')
        assert taken.filled_size == Decimal('0.1')
        printed = await maker
        assert f'{rows[0].side} 0.1 {rows[0].symbol} {rows[0].price}' in printed and 'ACKED' in printed
        assert (await venue.get_orders(wallet=wallet, status='open')).data == ()


@in_loop
async def test_smile(tmp_path):
    """The smile of a curved surface is printed strike by strike, and drawn"""
    pytest.importorskip('matplotlib')
    async with connect(URL) as venue, Operator(URL, TOKEN) as operator:
        symbol = await option(venue)
        expiry = '-'.join(EXPIRY.match(symbol).groups())
        await operator.act('POST /admin/vol-surface', underlying='BTC', atm_vol=ATM, skew=SKEW, curvature=CURVATURE)
        while abs((await venue.get_orderbook(instrument_name=symbol)).mark_iv - ATM) > Decimal('0.001'):
            await asyncio.sleep(0.02)
    picture = tmp_path / 'smile.png'
    rows = [line.split() for line in python(PACKAGE / 'examples/smile.py', 'BTC', expiry, str(picture)).splitlines()]
    strikes, vols = [Decimal(row[0]) for row in rows], [Decimal(row[1]) for row in rows]
    assert len(rows) > 20 and strikes == sorted(set(strikes))
    # Near the money it is what was set; it falls to one bottom, which the skew moves to the right, and rises again.
    for strike, vol in zip(strikes, vols):
        away = (strike / INDEX['BTC']).ln()
        assert abs(away) > Decimal('0.15') or abs(vol - (ATM + SKEW * away + CURVATURE * away * away)) < Decimal('0.005')
    bottom = vols.index(min(vols))
    assert vols == sorted(vols[:bottom], reverse=True) + sorted(vols[bottom:])
    assert strikes[bottom] > INDEX['BTC'] and vols[0] > vols[-1] > ATM
    assert picture.read_bytes().startswith(b'\x89PNG')


def test_readme(tmp_path):
    """The blocks of the README run; what it names is there"""
    assert len(README.splitlines()) < README_LINES
    first, second = re.findall(r'```python\n(.*?)```', README, re.DOTALL)
    program = tmp_path / 'first.py'
    program.write_text(first.replace('http://127.0.0.1:8080', URL))
    assert python(program).startswith('ACKED open ')
    fill = re.sub('^', '        ', second, flags=re.MULTILINE)
    program.write_text(f'''
import asyncio
from strikebook import connect, create_private_key

async def main():
    async with connect('{URL}', signer=create_private_key()) as venue, connect('{URL}', signer=create_private_key()) as other:
        await other.place_order(symbol='BTC-PERP', side='Sell', size=1, price=100_500)
        asyncio.get_running_loop().call_later(1, asyncio.ensure_future, take(venue))
{fill.rstrip()}
                break
        await other.cancel_all()

async def take(venue):
    await venue.place_order(symbol='BTC-PERP', side='Buy', size='0.5', price=100_500, tif='ioc')

asyncio.run(main())
''')
    assert python(program).startswith('100500 0.5 ')
    names = re.findall(r'`(?:venue\.)?([a-z_]+)`[,;:. ]', README)
    known = {*dir(strikebook.Strikebook), *dir(strikebook.VenueSocket), *dir(strikebook), *dir(strikebook.StrikebookError('', ''))}
    options = {'signer', 'wallet', 'address', 'retries', 'timeout', 'on_answer', 'nonce', 'on_gap', 'bound', 'overflow', 'order_id',
               'closed', 'no_answer', 'internal_error', 'coincurve', 'pycryptodome', 'websockets', 'eth_account', 'sign_typed_data'}
    assert [name for name in names if name not in known | options] == []


def test_metadata():
    """The package has the repository's version, and says what it needs"""
    project = tomllib.loads((PACKAGE / 'pyproject.toml').read_text())['project']
    root = (PACKAGE.parents[1] / 'package.json').read_text()
    assert f'"version": "{project["version"]}"' in root and project['version'] == strikebook.__version__
    assert project['dependencies'] == ['websockets>=10.4']
    assert [name for name in strikebook.__all__ if not hasattr(strikebook, name)] == []


def test_package(tmp_path):
    """What setuptools packs can be used alone: modules, types, README"""
    meta = pytest.importorskip('setuptools.build_meta')
    source = tmp_path / 'source'
    subprocess.run(['cp', '-r', str(PACKAGE), str(source)], check=True)
    program = f'import os; os.chdir({str(source)!r}); from setuptools import build_meta; print(build_meta.build_sdist({str(tmp_path)!r}))'
    assert meta and python('-c', program).strip().endswith('strikebook-0.0.1.tar.gz')
    subprocess.run(['tar', '-xf', 'strikebook-0.0.1.tar.gz'], cwd=tmp_path, check=True)
    packed = tmp_path / 'strikebook-0.0.1'
    names = {path.name for path in (packed / 'src/strikebook').iterdir()}
    assert names >= {path.name for path in (PACKAGE / 'src/strikebook').glob('*.py')} | {'py.typed'}
    assert (packed / 'README.md').read_text() == README
    shown = python('-c', 'import strikebook; print(strikebook.__file__)', PYTHONPATH=str(packed / 'src'))
    assert shown.strip() == str(packed / 'src/strikebook/__init__.py')
