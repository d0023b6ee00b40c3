"""A market maker of a whole chain: `python maker.py BTC 2026-12-25`. One signature for the page, by an agent key of this program."""

import asyncio, os, sys, time
from decimal import Decimal

from strikebook import PrivateKeySigner, connect, create_private_key, round_price

URL = os.environ.get('STRIKEBOOK_URL', 'http://127.0.0.1:8080')
EDGE, SIZE, MOST, CONTRACTS = Decimal('0.04'), Decimal('0.5'), 5, 50


def line(leg, held):
    """Quotes around the mark, or removes the side that would add to a full position."""
    bid, ask = round_price(leg.mark_price * (1 - EDGE), 'down'), round_price(leg.mark_price * (1 + EDGE), 'up')
    sizes = (0 if held >= MOST else SIZE), (0 if held <= -MOST else SIZE)
    return {'symbol': leg.instrument_name, 'bid': {'size': sizes[0], 'price': bid}, 'ask': {'size': sizes[1], 'price': ask}}


async def main(currency, expiry, rounds):
    agent = PrivateKeySigner(create_private_key())
    async with connect(URL, signer=os.environ.get('STRIKEBOOK_KEY', create_private_key())) as owner:
        await owner.approve_agent(agent.address, int(time.time() * 1_000) + 3_600_000)
        async with connect(URL, signer=agent, wallet=owner.wallet) as venue, venue.socket(on_gap=print) as socket:
            await venue.set_mmp(currency=currency, interval_ms=1_000, frozen_time_ms=5_000, qty_limit=20)
            await socket.subscribe('fills', on_message=lambda fill: print(fill.side, fill.size, fill.symbol, fill.price))
            for _ in range(rounds):
                chain = list(await venue.get_expiry_summary(currency=currency, expiry=expiry))
                chain.sort(key=lambda row: abs(row.instrument.strike - row.orderbook.index_price))
                held = {one.symbol: one.amount for one in (await venue.get_portfolio()).positions}
                legs = [row.orderbook for row in chain[:CONTRACTS] if row.orderbook.mark_price > Decimal('0.01')]
                page = [line(leg, held.get(leg.instrument_name, 0)) for leg in legs]
                answer = await socket.mass_quote('chain', page, crossing='slide', detailed=False)
                print(answer.status, answer.reason or answer.counts)
                await socket.cancel_after(30_000)  # Cancels everything unless asked again in time.
                await asyncio.sleep(6)  # The tier `default` may name 1,200 sides a minute.
            await socket.cancel_quotes()

asyncio.run(main(sys.argv[1], sys.argv[2], int(os.environ.get('ROUNDS', 10**9))))
