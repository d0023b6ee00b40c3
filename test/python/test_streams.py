"""Streams by socket, against a venue and against servers that answer from a script: resumed, refused, missed and slow ones."""

import asyncio
from decimal import Decimal

import pytest
from conftest import TOKEN, URL, in_loop, option, trader
from faults import Proxy, ScriptedSocket
from helpers import BID, FAST, SECRET, refusal, scripted_client, take, until

from strikebook import Gap, Operator, PrivateKeySigner, StrikebookError, connect, create_private_key


@in_loop
async def test_resume():
    """A wallet's stream loses nothing and repeats nothing, however often the connection ends"""
    gaps = []
    async with Proxy(URL) as proxy, connect(proxy.url, signer=create_private_key()) as venue, connect(URL) as seen:
        async with venue.socket(**FAST, on_gap=gaps.append) as socket:
            updates = await socket.subscribe('order_updates')
            for turn in range(6):
                await asyncio.gather(*(socket.place_order(**BID) for _ in range(5)))
                await socket.cancel_all()
                proxy.cut()
            rows = (await seen.get_orders(wallet=venue.wallet)).data
            assert len(rows) == 30
            got = await take(updates, 90)
            assert [one.seq for one in got] == list(range(1, 91)) and gaps == []
            assert [one.status for one in got].count('CANCELED') == 30
            assert proxy.connections >= 6
        async with venue.socket() as socket:
            later = await socket.subscribe('order_updates', from_seq=88)
            assert [one.seq for one in await take(later, 2)] == [89, 90]


@in_loop
async def test_silence():
    """A connection that says nothing, although it is asked, is given up, and streams go on with the next one"""
    downs, ups = [], []
    async with Proxy(URL) as proxy, connect(proxy.url, signer=create_private_key()) as venue:
        async with venue.socket(**FAST, heartbeat=0.3, on_down=downs.append, on_up=ups.append) as socket:
            fills = await socket.subscribe('order_updates')
            proxy.loses_answers = True
            await until(lambda: downs)
            proxy.loses_answers = False
            await socket.place_order(**BID)
            assert (await anext(fills)).seq == 1
            assert downs[0] == 'silence' and ups[:2] == [False, True]
            await asyncio.sleep(1)
            # A venue that answers is not silent.
            assert socket.is_connected


@in_loop
async def test_wrong_subscriptions():
    """A subscription that the venue would refuse is refused with its cause; one that it refuses throws and ends"""
    async with connect(URL) as venue, venue.socket() as socket:
        for channel, options in (
            ('nothing', {}), ('fills', {}), ('candles', {}), ('trades:x', {}), ('trades', {'symbols': []}), ('trades', {'from_seq': 1}),
            ('trades', {'symbols': ['btc-perp']}), ('trades', {'symbols': [f'BTC-20260101-{at}-C' for at in range(1_001)]}),
        ):
            await refusal(socket.subscribe(channel, **options), 'invalid_argument')
        await refusal(socket.subscribe('candles:BTC:7m'), 'subscription_refused')
        await refusal(socket.subscribe('trades', symbols=['BTC-PERP', 'XYZ-PERP']), 'subscription_refused')
        trades = await socket.subscribe('trades', symbols=['BTC-PERP'])
        trades.close()
        assert [one async for one in trades] == []


@in_loop
async def test_public_streams():
    """Every public channel sends its typed messages; of a filter by symbol only the wanted ones arrive"""
    async with trader() as venue, trader() as other, venue.socket() as socket:
        symbol = await option(venue)
        streams = {
            'orderbook': {'symbols': ['BTC-PERP']}, 'book': {'symbols': ['BTC-PERP']}, 'trades': {'symbols': ['BTC-PERP', symbol]},
            'index_prices': {}, 'funding': {}, 'perp_ticker': {'symbols': ['BTC-PERP']}, 'options_chain': {'symbols': ['BTC']},
            'candles:BTC-PERP:1m': {}, 'vol_index': {}, 'market_updates': {}, 'markets': {},
            'portfolio': {}, 'quotes': {}, 'ledger': {}, 'fills': {},
        }
        opened = {name: await socket.subscribe(name, **options) for name, options in streams.items()}
        await other.place_order(symbol='BTC-PERP', side='Sell', size='0.3', price=100_100)
        await venue.place_order(symbol='BTC-PERP', side='Buy', size='0.2', price=100_100, tif='ioc')
        await venue.mass_quote('s', [{'symbol': symbol, 'bid': {'size': 1, 'price': 10}}])
        await other.place_order(symbol='ETH-PERP', side='Sell', size=1, price=4_000)
        await venue.place_order(symbol='ETH-PERP', side='Buy', size=1, price=4_000, tif='ioc')
        got = {name: await anext(stream) for name, stream in opened.items() if name not in ('market_updates', 'markets')}
        assert got['trades'].price == 100_100 and got['trades'].size == Decimal('0.2') and opened['trades'].waiting == 0
        assert (got['fills'].size, got['fills'].side, got['fills'].is_taker) == (Decimal('0.2'), 'Buy', True)
        assert {price.underlying for price in got['index_prices'].prices} == {'BTC', 'ETH'}
        assert got['options_chain'].action == 'Upsert' and got['portfolio'].update_type == 'Initial'
        candle = got['candles:BTC-PERP:1m']
        while candle.close != 100_100:
            candle = await anext(opened['candles:BTC-PERP:1m'])
        assert candle.resolution == '1m'
        assert got['quotes'].is_snapshot and (await anext(opened['quotes'])).quotes[0].symbol == symbol
        async with Operator(URL, TOKEN) as operator:
            for mode in ('cancel_only', 'open'):
                await operator.act('POST /admin/halt', scope='ETH-PERP', mode=mode)
        for name in ('market_updates', 'markets'):
            assert (await anext(opened[name])).trading_mode == 'cancel_only'
        chosen = await socket.subscribe('order_updates', symbols=[symbol])
        await venue.place_order(**BID)
        placed = await venue.place_order(**{**BID, 'symbol': symbol, 'price': '11'})
        assert (await anext(chosen)).order_id == placed.order_id
        await asyncio.gather(venue.cancel_all(), other.cancel_all())


@in_loop
async def test_slow_reader():
    """A stream beyond its bound ends with overflow; of books only the newest message is kept"""
    async with trader() as venue, venue.socket() as socket:
        updates = await socket.subscribe('order_updates', bound=3)
        books = await socket.subscribe('orderbook', symbols=['BTC-PERP'], bound=1)
        for _ in range(3):
            await socket.place_order(**BID)
        await socket.cancel_all()
        with pytest.raises(StrikebookError) as caught:
            await take(updates, 10)
        assert caught.value.code == 'overflow'
        assert [one async for one in updates] == []
        assert books.waiting == 1


@in_loop
async def test_listener_faults():
    """An exception of a listener goes to on_error, and the stream goes on"""
    faults, seen = [], []

    def listener(message):
        seen.append(message.seq)
        raise RuntimeError('mine')

    async with trader() as venue, venue.socket(on_error=faults.append) as socket:
        await socket.subscribe('order_updates', on_message=listener)
        await socket.place_order(**BID)
        await until(lambda: len(seen) == 2)
        assert [str(fault) for fault in faults] == ['mine', 'mine']


def subscriber(refusals):
    """Answers subscriptions, the first ones with these Errors."""
    left = list(refusals)

    def react(_, frame):
        if frame['type'] == 'Subscribe' and left:
            code, message = left.pop(0)
            return [{'type': 'Error', 'code': code, 'message': message, 'id': frame['id']}]
        return [{'type': f'{frame["type"]}d', 'channel': frame['channel'], 'id': frame['id'], 'seq': frame.get('from_seq', 0)}]

    return react


@in_loop
async def test_temporary_refusals():
    """A temporary refusal is retried until it succeeds, a permanent one is not"""
    async with ScriptedSocket(subscriber([('rate_limit_exceeded', 'slow'), ('engine_busy', 'full')])) as server:
        async with scripted_client(server.url, **FAST) as socket:
            await socket.subscribe('trades', symbols=['BTC-PERP'])
            assert len(server.received) == 3
    async with ScriptedSocket(subscriber([('invalid_parameter', 'no')])) as server, scripted_client(server.url, **FAST) as socket:
        assert (await refusal(socket.subscribe('trades'), 'subscription_refused')).details['code'] == 'invalid_parameter'


@in_loop
async def test_unresumable():
    """What the venue no longer keeps is told as a gap, and the stream begins at the oldest that it keeps"""
    gaps = []
    refused = [('invalid_parameter', 'Cannot resume fills from 5: oldest kept is 9')]
    async with ScriptedSocket(subscriber(refused)) as server, scripted_client(server.url, **FAST, on_gap=gaps.append) as socket:
        await socket.subscribe('fills', from_seq=5)
        assert gaps == [Gap('fills', PrivateKeySigner(SECRET).address, 6, 8)]
        assert server.received[-1][1]['from_seq'] == 8


@in_loop
async def test_other_venue():
    """When another venue answers, each stream tells a gap that ends before it begins"""
    gaps, ups = [], []

    def react(_, frame):
        if frame['type'] != 'Subscribe':
            return [None]
        return [{'type': 'Subscribed', 'channel': frame['channel'], 'id': frame['id'], 'seq': 7}]

    async with ScriptedSocket(react, venue_ids=('a' * 16, 'b' * 16)) as server:
        async with scripted_client(server.url, **FAST, on_gap=gaps.append, on_up=ups.append) as socket:
            await socket.subscribe('fills')
            await refusal(socket.place_order(**BID, retries=0), 'no_answer')
            await until(lambda: len(ups) == 2 and len(server.received) >= 3)
        assert [(gap.first, gap.last) for gap in gaps] == [(8, 0)]
        assert 'from_seq' not in server.received[-1][1]


@in_loop
async def test_missed_messages():
    """Messages that cannot be had again, or cannot be read, are told as a gap; a repeat is dropped"""
    gaps, faults = [], []
    trade_of = {
        'type': 'Trade', 'symbol': 'BTC-PERP', 'price': '1', 'size': '1', 'side': 'buy', 'timestamp': 1, 'maker_address': '',
        'taker_address': '',
    }

    def trade(seq):
        return {**trade_of, 'trade_id': seq, 'seq': seq}

    def react(_, frame):
        strange = {**trade(6), 'price': 'x'}
        return [{'type': 'Subscribed', 'channel': 'trades', 'id': frame['id']}, *map(trade, (4, 5, 5, 4)), strange, trade(8)]

    async with ScriptedSocket(react) as server, scripted_client(server.url, **FAST, on_gap=gaps.append, on_error=faults.append) as socket:
        trades = await socket.subscribe('trades', symbols=['BTC-PERP'])
        assert [one.seq for one in await take(trades, 3)] == [4, 5, 8]
        assert gaps == [Gap('trades', 'BTC-PERP', 6, 7)] and [fault.code for fault in faults] == ['bad_answer']


@in_loop
async def test_client_lost():
    """When the venue has lost the streams of a connection, the client connects again"""
    def react(number, frame):
        answer = {'type': 'Subscribed', 'channel': frame['channel'], 'id': frame['id']}
        return [answer] if number else [answer, {'type': 'Error', 'code': 'internal_error', 'message': 'Client not found', 'id': None}]

    async with ScriptedSocket(react) as server, scripted_client(server.url, **FAST) as socket:
        await socket.subscribe('trades')
        await until(lambda: [frame['type'] for number, frame in server.received if number == 1] == ['Subscribe'])


@in_loop
async def test_unknown_frames():
    """An Error that answers no request goes to on_error; a message that is not JSON ends the connection; one of a new kind is ignored"""
    faults, downs = [], []

    def react(number, frame):
        return [{'type': 'Error', 'code': 'invalid_request', 'message': 'what', 'id': None}, {'type': 'News', 'seq': 1}, [1]]

    async with ScriptedSocket(react) as server:
        async with scripted_client(server.url, **FAST, on_error=faults.append, on_down=downs.append) as socket:
            works = asyncio.create_task(socket.place_order(**BID, retries=0))
            await until(lambda: downs)
            await refusal(works, 'no_answer')
        assert str(faults[0]) == 'subscription_refused: what'
