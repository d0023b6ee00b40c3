"""The local book: any order of changes gives the venue's book, and a book that is broken says so."""

import asyncio
import random
from decimal import Decimal
from zlib import crc32

from conftest import URL, in_loop, trader
from faults import Proxy

from strikebook import Level, LocalBook, connect, create_private_key
from strikebook.messages import BookUpdate

RANDOM = random.Random(7)


def checksum(bids, asks):
    """Written from the interface: rank by rank, bid before ask."""
    texts = []
    for rank in range(25):
        for side in (sorted(bids.items(), reverse=True), sorted(asks.items())):
            if rank < len(side):
                texts += [str(side[rank][0]), str(side[rank][1])]
    return crc32(':'.join(texts).encode())


class Model:
    """A book that makes its own messages."""

    def __init__(self):
        self.bids, self.asks, self.seq = {}, {}, 0

    def update(self, *, is_snapshot=False, **changes):
        before, self.seq = self.seq, self.seq + 1
        sides = {'bids': [], 'asks': []}
        for name, side in (('bids', self.bids), ('asks', self.asks)):
            for price, size in changes.get(name, ()):
                if size:
                    side[price] = size
                else:
                    side.pop(price, None)
                sides[name].append((price, size))
            if is_snapshot:
                sides[name] = list(side.items())
        return BookUpdate(
            type='BookUpdate', is_snapshot=is_snapshot, symbol='X', prev_seq=None if is_snapshot else before, seq=self.seq, timestamp=1,
            bids=tuple(sides['bids']), asks=tuple(sides['asks']), checksum=checksum(self.bids, self.asks),
        )


def book_of():
    renewals, faults = [], []
    return LocalBook('X', renew=lambda: renewals.append(1), on_error=faults.append), renewals, faults


def change(low):
    size = RANDOM.choice([Decimal(0), Decimal('0.000001'), Decimal('1.50'), Decimal(1_000)])
    return Decimal(low + RANDOM.randrange(40)) / 10, size


def test_changes():
    """Property: after any changes the book has the levels of the model, best first"""
    for _ in range(30):
        (book, renewals, _), model = book_of(), Model()
        book.apply(model.update(is_snapshot=True))
        for _ in range(60):
            changes = {name: [change(low) for _ in range(RANDOM.randrange(4))] for name, low in (('bids', 100), ('asks', 150))}
            once = {name: list(dict(rows).items()) for name, rows in changes.items()}
            book.apply(model.update(is_snapshot=RANDOM.random() < 0.1, **once))
            assert book.bids == tuple(Level(*one) for one in sorted(model.bids.items(), reverse=True))
            assert book.asks == tuple(Level(*one) for one in sorted(model.asks.items()))
            assert book.best_bid == (book.bids[0] if book.bids else None) and book.is_live and book.seq == model.seq
        assert renewals == []


def test_broken():
    """A message that misses its predecessor, or does not have its checksum, makes the book ask for a new snapshot"""
    bid = [(Decimal(1), Decimal(2))]
    for spoil in ('gap', 'checksum'):
        (book, renewals, _), model = book_of(), Model()
        told = []
        book.on_change(lambda one: told.append(one.is_live))
        book.apply(model.update(bids=bid))
        assert not book.is_live and book.seq == 0
        book.apply(model.update(is_snapshot=True))
        if spoil == 'gap':
            model.update(asks=[(Decimal(3), Decimal(1))])
            # The levels are as before, so only the numbers tell.
            model.update(asks=[(Decimal(3), Decimal(0))])
        else:
            model.asks[Decimal(9)] = Decimal(9)
        before = book.bids
        book.apply(model.update(bids=[(Decimal('0.5'), Decimal(1))]))
        assert renewals == [1] and not book.is_live and book.bids == before
        book.apply(model.update(bids=bid))
        assert renewals == [1]
        book.apply(model.update(is_snapshot=True))
        assert book.is_live and told == [True, False, True]


def test_listeners():
    """A listener that fails does not keep the others from a change; one that was stopped gets none"""
    (book, _, faults), model = book_of(), Model()
    seen = []

    def wrong(_):
        raise RuntimeError('mine')

    book.on_change(wrong)
    stop = book.on_change(lambda one: seen.append(one.seq))
    book.apply(model.update(is_snapshot=True))
    stop()
    stop()
    book.apply(model.update(bids=[(Decimal(1), Decimal(1))]))
    assert seen == [1] and [str(fault) for fault in faults] == ['mine', 'mine']


@in_loop
async def test_live():
    """A book that lives through lost connections has the levels that the venue shows"""
    async with Proxy(URL) as proxy, connect(proxy.url, signer=create_private_key()) as venue, trader() as other:
        async with venue.socket(first_wait=0.02) as socket:
            first, second = await socket.book('ETH-PERP'), await socket.book('ETH-PERP')
            for turn in range(30):
                side, price = RANDOM.choice([('Buy', 1_000 + turn), ('Sell', 5_000 - turn)])
                await other.place_order(symbol='ETH-PERP', side=side, size=RANDOM.choice(['0.5', '1.25', 3]), price=price)
                if turn % 10 == 9:
                    proxy.cut()
            async with asyncio.timeout(20):
                while True:
                    shown = await other.get_orderbook(instrument_name='ETH-PERP', depth=100)
                    if all(book.is_live and book.bids == shown.bids and book.asks == shown.asks for book in (first, second)):
                        break
                    await asyncio.sleep(0.02)
            assert len(first.bids) + len(first.asks) > 20
            # A book asks for a new snapshot by itself, and the other reader goes on.
            first.pause()
            first._renew()
            while not first.is_live:
                await asyncio.sleep(0.01)
            await other.cancel_all()
            while first.bids or second.bids or second.asks:
                await asyncio.sleep(0.01)
            first.close()
            assert not first.is_live and second.is_live
