"""The client by REST against a venue: reads, every signed request, and what happens when an answer is lost."""

import asyncio
import gzip
import inspect
import json
from dataclasses import fields, is_dataclass
from decimal import Decimal

import pytest
from conftest import INDEX, TOKEN, URL, in_loop, option, trader
from faults import Proxy, ScriptedHttp, answer
from helpers import BID, LOW, refusal

from strikebook import Operator, PrivateKeySigner, StrikebookError, connect, create_private_key, records, round_price
from strikebook.http import Request
from strikebook.nonces import now_ms
from strikebook.reads import Reads
from strikebook.retries import AnswerFacts

@in_loop
async def test_order():
    """An order is placed, read and cancelled, and its amounts are exact"""
    async with trader() as venue:
        placed = await venue.place_order(**{**BID, 'size': Decimal('0.10'), 'client_id': '0x' + 32 * 'a'})
        assert (placed.status, placed.order_status, placed.filled_size) == ('ACKED', 'open', 0)
        assert (placed.info.price, str(placed.info.size)) == (LOW, '0.10')
        (row,) = (await venue.get_orders(status='open')).data
        assert (row.order_id, row.price, row.size) == (placed.order_id, LOW, Decimal('0.1'))
        assert (await venue.get_orders(client_id='0x' + 32 * 'a')).data == (row,)
        assert (await venue.cancel_order(placed.order_id)).status == 'CANCELED'
        again = await venue.cancel_order(placed.order_id)
        assert (again.status, again.reason) == ('REJECTED', f'Order {placed.order_id} was already cancelled')
        assert (await venue.get_orders(status='open')).data == ()


@in_loop
async def test_every_read():
    """Every read of the interface gives its record, with Decimal for each number that is not whole"""
    async with trader() as venue:
        symbol = await option(venue)
        order = await venue.place_order(**BID)
        span = {'start_time_ms': now_ms() - 3_600_000, 'end_time_ms': now_ms(), 'resolution': '5m'}
        expiry = f'{symbol[4:8]}-{symbol[8:10]}-{symbol[10:12]}'
        wanted = {
            'instrument_name': symbol, 'currency': 'BTC', 'expiry': expiry, 'underlying': 'BTC', 'symbol': 'BTC-PERP', 'interval': '5m',
            'order_id': str(order.order_id), **span,
        }
        refused = {'get_trades_by_trade_id', 'get_competitions_by_id', 'get_competitions_leaderboard', 'get_gas_provider_by_chain_id'}
        for name, method in inspect.getmembers(Reads, inspect.iscoroutinefunction):
            if name.startswith('_') or name == 'get_username':
                continue
            parameters = inspect.signature(method).parameters.values()
            needed = {one.name for one in parameters if one.default is one.empty} - {'self'}
            query = {one: wanted.get(one, 1) for one in needed}
            if name == 'get_orderbook':
                query = {'instrument_name': symbol}
            if name == 'get_greeks':
                query = {'symbol': symbol}
            if name in refused:
                query = dict.fromkeys(query, 999_999)
                error = await refusal(getattr(venue, name)(**query), 'not_found')
                assert error.status == 404
                continue
            found = await getattr(venue, name)(**query)
            check_amounts(found)


def check_amounts(value):
    assert not isinstance(value, float)
    if is_dataclass(value):
        for field in fields(value):
            check_amounts(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            check_amounts(item)


@in_loop
async def test_own_wallet():
    """A wallet that is left out is the client's own; a client without a signer must name it"""
    async with trader() as venue, connect(URL) as reader:
        await venue.place_order(**BID)
        mine = (await venue.get_orders()).data
        assert len(mine) == 1 and (await reader.get_orders(wallet=venue.wallet)).data == mine
        await refusal(reader.get_orders(), 'missing_field')
        assert reader.is_read_only and not venue.is_read_only
        await refusal(reader.place_order(**BID), 'invalid_argument')


@in_loop
async def test_every_order_request():
    """Every signed request about orders acts, of options and of perps"""
    async with trader() as venue:
        symbol = await option(venue)
        for terms in (BID, {**BID, 'symbol': symbol, 'price': '10'}):
            first = await venue.place_order(**terms)
            replaced = await venue.replace_order(**terms, order_id=first.order_id)
            assert replaced.status == 'ACKED' and replaced.order_id != first.order_id
            amended = await venue.amend_order(order_id=replaced.order_id, size='0.05', price=terms['price'])
            assert (amended.status, amended.order_id) == ('ACKED', replaced.order_id)
            posted = await venue.place_order(**terms, post_only=True, expires_at=now_ms() + 60_000, stp='cancel_both', link_id='pair')
            assert (posted.order_status, posted.info.post_only, posted.info.link_id) == ('open', True, 'pair')
            stop = await venue.stop_market(symbol=terms['symbol'], side='Sell', size='0.1', price='1', stop='2')
            assert (stop.order_status, stop.info.trigger.by, stop.info.trigger.price) == ('untriggered', 'theo', 2)
            bulk = await venue.place_orders([terms, {**terms, 'reduce_only': True}])
            assert [one.success for one in bulk.results] == [True, False]
            assert bulk.results[1].error == 'Reduce-only order would increase position'
            (placed, _) = bulk.results
            assert (await venue.replace_orders([{**terms, 'order_id': placed.data.order_id}])).results[0].success
            assert (await venue.amend_orders([{'order_id': posted.order_id, 'size': 1, 'price': terms['price']}])).results[0].success
            assert (await venue.cancel_orders([posted.order_id, 999_999])).results[0].success
            client_id = '0x' + 32 * 'b'
            for cancel in (venue.cancel_order_by_client_id, lambda one: venue.cancel_orders_by_client_id([one])):
                assert (await venue.place_order(**terms, client_id=client_id)).order_status == 'open'
                found = await cancel(client_id)
                assert getattr(found, 'status', '') == 'CANCELED' or found.results[0].success
        exits = await venue.bracket(symbol='BTC-PERP', side='Sell', size='0.1', price='1000', stop='50000', target='200000', link_id='exit')
        assert [one.success for one in exits.results] == [False, True]
        assert (await venue.cancel_all(symbol)).data.cancelled > 0
        assert (await venue.cancel_all(void_nonces=True)).success
        assert (await venue.get_orders(status='working')).data == ()


@in_loop
async def test_mass_quote():
    """A page of quotes rests, changes and is removed; a size of 0 removes, a side that is left out stays"""
    async with trader() as venue:
        symbol = await option(venue)
        first = await venue.mass_quote('a', [
            {'symbol': symbol, 'bid': {'size': 1, 'price': '10'}, 'ask': {'size': '2.5', 'price': Decimal(90_000)}},
            {'symbol': 'BTC-PERP', 'bid': {'size': Decimal('0.1'), 'price': LOW}},
        ])
        assert first.counts.open == 3 and [one.ask is None for one in first.results] == [False, True]
        second = await venue.mass_quote('a', [{'symbol': symbol, 'bid': {'size': '0.5'}, 'ask': {'size': 0}}], detailed=False)
        assert (second.counts.reduced, second.counts.removed, second.results) == (1, 1, ())
        rows = (await venue.get_orders(status='open')).data
        assert {(row.symbol, row.size, row.quote_set) for row in rows} == {(symbol, Decimal('0.5'), 'a'), ('BTC-PERP', Decimal('0.1'), 'a')}
        assert (await venue.cancel_quotes('a', 'BTC')).data.cancelled == 2


@in_loop
async def test_account_requests():
    """Agents, margin mode, protection, switches, names and nonces: each signed request acts"""
    async with trader() as venue:
        agent = PrivateKeySigner(create_private_key())
        await venue.place_order(**BID)
        assert (await venue.approve_agent(agent.address, now_ms() + 60_000)).success
        assert (await venue.get_authorized_agents()).agents == (agent.address,)
        async with connect(URL, signer=agent, wallet=venue.wallet) as delegate:
            assert (await delegate.place_order(**BID)).status == 'ACKED'
            assert (await delegate.cancel_all()).data.cancelled == 2
            await refusal(delegate.void_nonces(), 'invalid_argument')
            assert (await venue.revoke_agent(agent.address)).success
            assert (await refusal(delegate.place_order(**BID), 'unauthorized')).status == 401
        assert (await venue.approve_agent(agent.address)).success and (await venue.revoke_all_agents()).success
        assert (await venue.set_margin_mode('portfolio')).data.previous_mode == 'standard'
        mmp = await venue.set_mmp(currency='BTC', interval_ms=1_000, frozen_time_ms=0, qty_limit=Decimal('1.5'), vega_limit='7')
        assert (mmp.qty_limit, mmp.vega_limit, mmp.delta_limit) == (Decimal('1.5'), 7, None)
        assert await venue.reset_mmp('BTC') is None
        assert await venue.delete_mmp('BTC') is None
        assert (await venue.cancel_after(60_000)).data.cancel_at is not None
        assert (await venue.cancel_after(0)).data.cancel_at is None
        assert (await venue.set_cancel_on_disconnect(False, 0)).data.enabled is False
        name = f'py{venue.wallet[2:10]}'
        assert (await venue.set_username(f' {name} ')).data.username == name
        assert (await venue.get_username(username=name)).data.wallet_address == venue.wallet
        assert (await refusal(venue.request_username(f'{name}x'), 'conflict')).status == 409
        assert (await venue.mark_payouts_seen([1])).success
        await refusal(venue.set_user_tier(venue.wallet, 'tier2'), 'unauthorized')
        held_back = await venue.sign(venue.forms.place_order(BID))
        voided = await venue.void_nonces()
        assert 'already used' in (await refusal(venue.send(held_back), 'invalid_parameter')).message
        assert voided.data.up_to < now_ms() + 1_000


@in_loop
async def test_operator():
    """The operator halts a market and gives a tier; a wrong token is refused"""
    async with trader() as venue, Operator(URL, TOKEN) as operator, Operator(URL, 'wrong') as stranger:
        try:
            assert (await operator.act('POST /admin/halt', scope='ETH', mode='halted')).success
            refused = await venue.place_order(symbol='ETH-PERP', side='Buy', size=1, price=2_000)
            assert (refused.status, refused.reason) == ('REJECTED', 'Market is halted')
        finally:
            await operator.act('POST /admin/halt', scope='ETH', mode='open')
        assert (await operator.act('POST /user-tier', wallet=venue.wallet, tier='tier2')).data.tier == 'tier2'
        credit = {'wallet': venue.wallet, 'amount': Decimal('-12.5'), 'reason': 'test', 'id': venue.wallet[:32]}
        assert (await operator.act('POST /admin/credit', **credit)).success
        row = (await venue.get_ledger(kind='credit')).data[0]
        assert (row.amount, row.balance) == (Decimal('-12.5'), Decimal('9999987.5'))
        assert any(one.wallet == venue.wallet for one in (await operator.read('/admin/accounts', limit=1_000)).data)
        await refusal(stranger.act('POST /admin/halt', scope='', mode='halted'), 'unauthorized')


@in_loop
async def test_exports_and_simulations():
    """Lists are exported as CSV and NDJSON; prices of volatilities and margins of orders are computed"""
    async with trader() as venue:
        await venue.place_order(**BID)
        head, row = (await venue.export('/orders')).strip().splitlines()
        assert head.startswith('order_id,') and 'BTC-PERP' in row
        (line,) = (await venue.export('/orders', format='ndjson')).strip().splitlines()
        assert json.loads(line)['symbol'] == 'BTC-PERP'
        assert (await venue.export('/trades')).startswith('trade_id,')
        assert 'strikebook' in await venue.metrics()
        symbol = await option(venue)
        assert (await venue.limit_iv(symbol, 0.5)).data.limit_price > 0
        simulated = await venue.simulate_orders([{'symbol': symbol, 'side': 'Sell', 'size': Decimal(1)}])
        assert simulated.data.after.position_initial_margin + simulated.data.after.open_orders_initial_margin > 0
        grid = await venue.simulate_portfolio([{'symbol': symbol, 'amount': Decimal('-1')}], balance=Decimal(1_000_000))
        assert grid.data.position_initial_margin > 0


@in_loop
async def test_signature_refused():
    """A request with a changed field is refused, with what the venue computed in the details"""
    async with trader() as venue:
        request = await venue.sign(venue.forms.place_order({**BID, 'symbol': await option(venue), 'price': '10'}))
        changed = Request(request.method, request.path, request.answer, request.body.replace('"0.1"', '"0.10"'))
        error = await refusal(venue.send(changed), 'signature_verification_failed')
        assert error.status == 400 and set(error.details) >= {'digest', 'struct_hash', 'recovered', 'domain'}


@in_loop
async def test_lost_answer():
    """When an answer is lost, the same bytes are sent again, and the venue acts once"""
    facts: list[AnswerFacts] = []
    async with Proxy(URL) as proxy, trader() as seen:
        async with connect(proxy.url, signer=create_private_key(), on_answer=facts.append) as venue:
            proxy.loses_answers = True
            placing = asyncio.create_task(venue.place_order(**BID))
            while not (await seen.get_orders(wallet=venue.wallet)).data:
                await asyncio.sleep(0.01)
            proxy.loses_answers = False
            proxy.cut()
            placed = await placing
            rows = (await seen.get_orders(wallet=venue.wallet)).data
            assert [row.order_id for row in rows] == [placed.order_id]
            last = facts[-1]
            assert last.is_replay and last.attempts >= 2 and last.status == 200
            posts = [part for one in proxy.sent for part in bytes(one).split(b'POST /order')[1:]]
            assert len(posts) == 2 and len({post.split(b'\r\n\r\n')[1] for post in posts}) == 1


@in_loop
async def test_busy():
    """A busy venue gets the same bytes again, after the time that it asks for"""
    busy = answer(503, {'error': 'engine_busy', 'message': 'full', 'retry_after_secs': 0})
    ok = answer(200, {'success': True, 'data': {'wallet_address': '', 'scope': '', 'cancelled': 0, 'pending': False}, 'error': None})
    async with ScriptedHttp(busy, None, ok) as server, connect(server.url, signer=create_private_key()) as venue:
        assert (await venue.cancel_all()).data.cancelled == 0
        assert len(server.requests) == 3 and len({body for _, body in server.requests}) == 1


@in_loop
async def test_unknown_outcome():
    """A refusal that is decided before the nonce does not hide that an earlier attempt may have acted"""
    unauthorized = answer(401, {'error': 'unauthorized', 'message': 'who are you'})
    async with ScriptedHttp(None, unauthorized) as server, connect(server.url, signer=create_private_key()) as venue:
        error = await refusal(venue.cancel_all(), 'no_answer')
        assert 'who are you' in error.message and error.__cause__.code == 'unauthorized'
    rejected = answer(400, {'error': 'invalid_parameter', 'message': 'Nonce 1 already used'})
    async with ScriptedHttp(None, rejected) as server, connect(server.url, signer=create_private_key()) as venue:
        await refusal(venue.cancel_all(), 'invalid_parameter')


@in_loop
async def test_attempts_end():
    """Attempts are counted; errors that a retry would not change are thrown at once; a read is not repeated for internal_error"""
    failed = answer(500, {'error': 'internal_error', 'message': 'oh'})
    proxy = answer(502, '<html>bad gateway</html>')
    async with ScriptedHttp(failed, failed, proxy, failed) as server, connect(server.url, signer=create_private_key()) as venue:
        await refusal(venue.cancel_all(retries=1), 'internal_error')
        assert len(server.requests) == 2
        await refusal(venue.get_ready(), 'internal_error')
        assert len(server.requests) == 4
    spent = answer(429, {'error': 'rate_limit_exceeded', 'message': 'slow', 'retry_after_secs': 9, 'limit': 60}, Retry_After=9)
    strange = answer(400, {'error': 'not a code'})
    cut = b'HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\nshort'
    script = (spent, strange, answer(200, 'text'), (cut,))
    async with ScriptedHttp(*script) as server, connect(server.url, signer=create_private_key()) as venue:
        assert (await refusal(venue.cancel_all(), 'rate_limit_exceeded')).details['retry_after_secs'] == 9
        await refusal(venue.cancel_all(), 'bad_answer')
        await refusal(venue.get_ready(), 'bad_answer')
        await refusal(venue.cancel_all(retries=0), 'no_answer')


@in_loop
async def test_late():
    """A call that takes too long ends with timeout; a call that is cancelled leaves nothing behind"""
    async with ScriptedHttp(5, 5, 5) as server, connect(server.url, signer=create_private_key()) as venue:
        await refusal(venue.cancel_all(timeout=0.05, retries=1), 'timeout')
        assert len({body for _, body in server.requests}) == 1 and len(server.requests) == 2
        work = asyncio.create_task(venue.cancel_all())
        while len(server.requests) < 3:
            await asyncio.sleep(0.005)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work


@in_loop
async def test_transfers():
    """Chunked and compressed answers are read, a connection is used again, and one that ended meanwhile is replaced for reads"""
    body = json.dumps({'time_ms': 1, 'seq': 1, 'server_at': 1})
    time = gzip.compress(body.encode())
    chunked = b'HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n4;x=y\r\n[1,2\r\n3\r\n,3]\r\n0\r\n\r\n'
    zipped = f'HTTP/1.1 200 X\r\ncontent-encoding: gzip\r\ncontent-length: {len(time)}\r\n\r\n'.encode() + time
    early = b'HTTP/1.1 103 X\r\nlink: x\r\n\r\n' + answer(200, '[]')
    closing = b'HTTP/1.1 200 X\r\nconnection: close\r\n\r\n[4]'
    async with ScriptedHttp(chunked, zipped, early, None, answer(200, '[5]')) as server, connect(server.url) as venue:
        assert await venue.send(Request('GET', '/a')) == [1, 2, 3]
        assert await venue.send(Request('GET', '/b')) == json.loads(body)
        assert await venue.send(Request('GET', '/c')) == []
        assert await venue.send(Request('GET', '/d'), retries=0) == [5]
        assert all(b'accept-encoding: gzip' in head for head, _ in server.requests)
    async with ScriptedHttp((closing,), answer(200, '[5]')) as server, connect(server.url) as venue:
        assert await venue.send(Request('GET', '/e'), retries=0) == [4]
        assert await venue.send(Request('GET', '/f'), retries=0) == [5]


@in_loop
async def test_keep_alive():
    """Calls in a row use one connection; calls at once use several"""
    async with Proxy(URL) as proxy, connect(proxy.url) as venue:
        for _ in range(5):
            await venue.get_time()
        assert proxy.connections == 1
        await asyncio.gather(*(venue.get_time() for _ in range(3)))
        assert 2 <= proxy.connections <= 3


@in_loop
async def test_no_venue():
    """Nothing that answers, something else that answers, and a wrong address are told apart"""
    async def attempt(url):
        async with connect(url, retries=0, timeout=5):
            pass

    await refusal(attempt('http://127.0.0.1:9'), 'no_answer')
    for wrong in ('127.0.0.1', 'ftp://127.0.0.1', 'http://'):
        with pytest.raises(StrikebookError) as caught:
            connect(wrong)
        assert caught.value.code == 'invalid_argument'
    async with Proxy(URL) as proxy:
        await refusal(attempt(f'{proxy.url}/elsewhere'), 'not_found')


@in_loop
async def test_listeners():
    """An exception of a listener changes no result and goes to on_error"""
    faults = []

    def wrong(_):
        raise RuntimeError('mine')

    async with connect(URL, on_answer=wrong, on_error=faults.append) as venue:
        assert isinstance(await venue.get_time(), records.VenueTime)
    assert [str(fault) for fault in faults] == ['mine', 'mine']


@in_loop
async def test_many_clients():
    """Two programs of a wallet in one process never use the same nonce"""
    key = create_private_key()
    async with connect(URL, signer=key) as one, connect(URL, signer=key) as other:
        answers = await asyncio.gather(*(venue.place_order(**{**BID, 'price': round_price(LOW - at, 'down')})
                                         for at in range(10) for venue in (one, other)))
        assert len({placed.order_id for placed in answers}) == 20
        assert INDEX['BTC'] > LOW and (await one.cancel_all()).data.cancelled == 20
