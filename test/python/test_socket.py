"""Orders by socket, against a venue and against servers that answer from a script: what is sent again, and in which order."""

import asyncio
from decimal import Decimal

from conftest import TOKEN, URL, in_loop, option, trader
from faults import Proxy, ScriptedSocket
from helpers import BID, FAST, refusal, scripted_client, until

from strikebook import Operator, connect, create_private_key, records
from strikebook.http import Request


@in_loop
async def test_orders():
    """Every request about orders goes by socket, with the answers of REST"""
    async with trader() as venue, venue.socket() as socket:
        symbol = await option(venue)
        for terms in (BID, {**BID, 'symbol': symbol, 'price': '10'}):
            first = await socket.place_order(**terms)
            assert isinstance(first, records.OrderUpdateMessage) and first.info.price == Decimal(terms['price'])
            replaced = await socket.replace_order(**terms, order_id=first.order_id)
            assert (await socket.amend_order(order_id=replaced.order_id, size='0.05', price=terms['price'])).status == 'ACKED'
            bulk = await socket.place_orders([terms, {**terms, 'post_only': 'slide', 'client_id': '0x' + 32 * 'c'}])
            ids = [one.data.order_id for one in bulk.results]
            assert (await socket.replace_orders([{**terms, 'order_id': ids[0]}])).results[0].success
            assert (await socket.amend_orders([{'order_id': ids[1], 'size': 1, 'price': terms['price']}])).results[0].success
            assert (await socket.cancel_orders_by_client_id(['0x' + 32 * 'c'])).results[0].success
            assert (await socket.cancel_order_by_client_id('0x' + 32 * 'c')).status == 'REJECTED'
            assert (await socket.cancel_order(replaced.order_id)).status == 'CANCELED'
            assert not (await socket.cancel_orders([replaced.order_id])).results[0].success
        quoted = await socket.mass_quote('a', [{'symbol': symbol, 'bid': {'size': 1, 'price': 10}}])
        assert quoted.results[0].bid.status == 'OPEN'
        assert (await socket.cancel_quotes()).data.cancelled == 1
        assert (await socket.cancel_all()).data.cancelled == 2
        assert (await socket.cancel_after(60_000)).data.cancel_at and not (await socket.cancel_after(0)).data.cancel_at
        assert (await socket.set_cancel_on_disconnect(True, 0, socket.connection)).data.connection == socket.connection
        assert (await socket.void_nonces()).success
        rejected = await socket.place_order(**BID, reduce_only=True)
        assert (rejected.status, rejected.order_id) == ('REJECTED', None)
        await refusal(socket.send(Request('POST', '/margin-mode', None, '{}')), 'invalid_argument')
        await refusal(socket.send(Request('POST', '/order', None, '{"x":"' + 'y' * 262_144 + '"}')), 'payload_too_large')
        error = await refusal(socket.place_order(**{**BID, 'symbol': 'BTC-20200131-1-C', 'tif': 'gtd'}), 'invalid_parameter')
        assert error.details['error'] == 'invalid_parameter'


@in_loop
async def test_many_in_flight():
    """Two hundred requests at once act in the order in which they were made"""
    async with trader() as venue, venue.socket() as socket:
        async with Operator(URL, TOKEN) as operator:
            await operator.act('POST /user-tier', wallet=venue.wallet, tier='market_maker')
        answers = await asyncio.gather(*(socket.place_order(**BID) for _ in range(200)))
        ids = [one.order_id for one in answers]
        assert ids == sorted(ids) and len(set(ids)) == 200
        assert (await socket.cancel_all()).data.wallet_address == venue.wallet


@in_loop
async def test_answer_first():
    """A caller knows its order before the messages about it arrive, also where they came in one piece"""
    known, seen, count = set(), [], iter(range(1, 1_000))

    def update_of(frame):
        request = {name: frame[name] for name in ('price', 'size', 'symbol', 'side', 'tif', 'client_id')}
        return {
            'type': 'OrderUpdate', 'order_id': frame['nonce'] % 1_000, 'request': request, 'status': 'OPEN', 'filled_size': '0',
            'reason': None, 'wallet_address': frame['wallet'], 'instrument_type': 'perp', 'timestamp': 1, 'seq': next(count),
        }

    def react(_, frame):
        if frame['type'] == 'Subscribe':
            return [{'type': 'Subscribed', 'channel': frame['channel'], 'id': frame['id'], 'seq': 0}]
        return [order_result(frame), *(update_of(frame) for _ in range(3))]

    async with ScriptedSocket(react) as server, scripted_client(server.url) as socket:
        await socket.subscribe('order_updates', on_message=lambda message: seen.append(message.order_id in known))

        async def place(nonce):
            known.add((await socket.place_order(**BID, nonce=nonce)).order_id)

        for nonce in range(101, 131):
            await asyncio.gather(asyncio.wait_for(place(nonce), 10), asyncio.sleep(0))
        await until(lambda: len(seen) == 90)
        assert all(seen)


@in_loop
async def test_lost_connection():
    """Requests in flight on a connection that ends are sent again as the same bytes, in their order, and act once"""
    facts = []
    async with Proxy(URL) as proxy, connect(proxy.url, signer=create_private_key()) as venue, connect(URL) as seen:
        async with venue.socket(**FAST, on_answer=facts.append) as socket:
            await socket.place_order(**BID)
            proxy.loses_answers = True
            works = [asyncio.create_task(socket.place_order(**BID)) for _ in range(20)]
            while len((await seen.get_orders(wallet=venue.wallet)).data) < 21:
                await asyncio.sleep(0.01)
            proxy.loses_answers = False
            proxy.cut()
            ids = [placed.order_id for placed in await asyncio.gather(*works)]
            assert ids == sorted(ids) and len(set(ids)) == 20
            rows = (await seen.get_orders(wallet=venue.wallet)).data
            assert len(rows) == 21
            assert sum(fact.is_replay and fact.attempts == 2 for fact in facts) == 20


@in_loop
async def test_unanswered():
    """If requests are never answered although messages come, the connection is given up after four heartbeats"""
    def react(number, frame):
        if frame['type'] == 'Unsubscribe':
            return [{'type': 'Unsubscribed', 'channel': frame['channel'], 'id': frame['id']}]
        if number == 0:
            return []
        return [{'type': 'ActionResult', 'id': frame['id'], 'action': 'CancelAll', 'success': True, 'error': None, 'data': {
            'wallet_address': '', 'scope': '', 'cancelled': 7, 'pending': False}}]

    downs = []
    async with ScriptedSocket(react) as server:
        async with scripted_client(server.url, **FAST, heartbeat=0.05, on_down=downs.append) as socket:
            assert (await socket.cancel_all()).data.cancelled == 7
        assert downs[0] == 'no answer to requests'
        frames = [frame for _, frame in server.received if frame['type'] == 'CancelAll']
        acts = [{name: value for name, value in frame.items() if name != 'id'} for frame in frames]
        assert len(acts) == 2 and acts[0] == acts[1]


def order_result(frame, **more):
    base = {'type': 'OrderResult', 'id': frame['id'], 'order_id': frame['nonce'] % 1_000, 'status': 'ACKED', 'reason': None,
            'order_status': 'open', 'end_reason': None, 'filled_size': 0, 'timestamp': 1, 'wallet_address': frame['wallet'],
            'mmp_triggered': False}
    info = {**{name: frame.get(name) for name in ('symbol', 'price', 'size', 'side', 'tif', 'client_id', 'nonce', 'underlying')},
            'order_id': 1, 'is_perp': True, 'reduce_only': False, 'signature': None, 'mmp_enabled': True, 'builder_code_address': None}
    return {**base, 'info': info, **more}


@in_loop
async def test_lost_request():
    """A request whose successor is answered first was lost: it is sent again before anything newer"""
    seen = []

    def react(_, frame):
        seen.append(frame['nonce'])
        # The first of three is lost.
        return [] if len(seen) == 1 else [order_result(frame)]

    async with ScriptedSocket(react) as server, scripted_client(server.url) as socket:
        answers = await asyncio.gather(*(socket.place_order(**BID, nonce=nonce, timeout=30) for nonce in (101, 102, 103)))
        assert [one.order_id for one in answers] == [101, 102, 103]
        assert seen == [101, 102, 103, 101]


@in_loop
async def test_busy():
    """A request that a busy venue refuses is sent again, and those behind it do not wait"""
    seen = []

    def react(_, frame):
        seen.append(frame['nonce'])
        if seen.count(101) == 1 and frame['nonce'] == 101:
            return [{**order_result(frame, status='REJECTED', error='engine_busy', reason='full', retry_after_secs=0), 'info': None}]
        return [order_result(frame)]

    def without_info(number, frame):
        return [{name: value for name, value in one.items() if name != 'info' or value is not None} for one in react(number, frame)]

    async with ScriptedSocket(without_info) as server, scripted_client(server.url) as socket:
        await asyncio.gather(*(socket.place_order(**BID, nonce=nonce) for nonce in (101, 102)))
        assert seen == [101, 102, 101]


@in_loop
async def test_close():
    """Closing fails open requests and ends streams, both with closed"""
    def react(_, frame):
        return [{'type': 'Subscribed', 'channel': frame['channel'], 'id': frame['id']}] if frame['type'] == 'Subscribe' else []

    async with ScriptedSocket(react) as server:
        socket = scripted_client(server.url)
        trades = await socket.subscribe('trades')
        works = [asyncio.create_task(socket.place_order(**BID)), asyncio.create_task(anext(trades))]
        await until(lambda: len(server.received) == 2)
        await socket.close()
        for work in works:
            await refusal(work, 'closed')
        await refusal(socket.place_order(**BID), 'closed')
        await refusal(socket.subscribe('trades'), 'closed')
        await socket.close()


@in_loop
async def test_late_answer():
    """A request that is not answered in time fails with timeout; its answer, when it comes, belongs to no other"""
    held = []

    def react(_, frame):
        held.append(frame)
        return [] if len(held) == 1 else [order_result(held[0]), order_result(frame)]

    async with ScriptedSocket(react) as server, scripted_client(server.url) as socket:
        await refusal(socket.place_order(**BID, nonce=201, timeout=0.05, retries=0), 'timeout')
        assert (await socket.place_order(**BID, nonce=202)).order_id == 202
