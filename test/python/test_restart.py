"""A venue that is killed under its clients, and another one in its place."""

import asyncio
import json
import os
import socket as sockets
import subprocess
import urllib.request

import pytest
from conftest import TOKEN, in_loop, open_market
from helpers import BID, FAST, take, until

from strikebook import connect, create_private_key

COMMAND = json.loads(os.environ.get('STRIKEBOOK_VENUE', '[]'))
pytestmark = pytest.mark.skipif(COMMAND == [], reason='no command that starts a venue is given')


class Venue:
    """A process, on a port that stays the same."""

    def __init__(self, folder):
        self.folder = folder
        with sockets.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.url = f'http://127.0.0.1:{self.port}'

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *_):
        self.kill()

    async def start(self):
        flags = ['--host', '127.0.0.1', '--port', str(self.port), '--data', str(self.folder), '--feed', 'manual', '--workers', '1']
        self.process = subprocess.Popen(
            [*COMMAND, *flags, '--admin-token', TOKEN, '--rate-limits', 'off'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        while not await asyncio.to_thread(self._is_ready):
            assert self.process.poll() is None, 'the venue ended'
            await asyncio.sleep(0.05)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def _is_ready(self):
        try:
            return urllib.request.urlopen(f'{self.url}/ready', timeout=5).status == 200
        except OSError:
            return False


@in_loop
async def test_kill(tmp_path):
    """Through kills of the venue every request acts once, and streams and books lose nothing"""
    gaps = []
    async with Venue(tmp_path / 'data') as process:
        await open_market(process.url)
        async with connect(process.url, signer=create_private_key(), retries=200) as venue:
            async with venue.socket(**FAST, retries=200, on_gap=gaps.append) as socket:
                updates = await socket.subscribe('order_updates')
                book = await socket.book('BTC-PERP')
                for turn in range(2):
                    by_socket = [asyncio.create_task(socket.place_order(**BID)) for _ in range(10)]
                    by_rest = [asyncio.create_task(venue.place_order(**BID)) for _ in range(5)]
                    await asyncio.sleep(0.02 * turn)
                    process.kill()
                    await process.start()
                    ids = [placed.order_id for placed in await asyncio.gather(*by_socket, *by_rest)]
                    assert len(set(ids)) == 15
                rows = (await venue.get_orders(status='open')).data
                assert len(rows) == 30
                got = await take(updates, 60)
                assert [one.seq for one in got] == list(range(1, 61)) and gaps == []
                await until(lambda: book.is_live and book.best_bid is not None and book.best_bid.size == 3)


@in_loop
async def test_new_data(tmp_path):
    """When a venue with other data answers, streams tell that their numbers begin anew, and go on"""
    gaps = []
    async with Venue(tmp_path / 'data') as process:
        await open_market(process.url)
        async with connect(process.url, signer=create_private_key(), retries=200) as venue:
            async with venue.socket(**FAST, on_gap=gaps.append) as socket:
                updates = await socket.subscribe('order_updates')
                await socket.place_order(**BID)
                assert [one.seq for one in await take(updates, 2)] == [1, 2]
                process.kill()
                process.folder = tmp_path / 'other'
                await process.start()
                await open_market(process.url)
                await until(lambda: socket.is_connected)
                assert (await venue.place_order(**BID)).order_id == 1
                assert [one.seq for one in await take(updates, 2)] == [1, 2]
                assert [(gap.channel, gap.first, gap.last) for gap in gaps] == [('order_updates', 3, 0)]
