"""The volatility smile of an expiry, cell by cell as in a notebook: `python smile.py BTC 2026-12-25 smile.png`."""

# %% The book of every contract of the expiry, with what its mark and its best quotes imply.
import asyncio, os, sys
from strikebook import connect

URL = os.environ.get('STRIKEBOOK_URL', 'http://127.0.0.1:8080')
CURRENCY, EXPIRY, FILE = sys.argv[1:4]


async def read():
    async with connect(URL) as venue:
        return await venue.get_expiry_summary(currency=CURRENCY, expiry=EXPIRY)

rows = asyncio.run(read())  # In a notebook: rows = await read()

# %% Of each strike the contract that is out of the money.
index = rows[0].orderbook.index_price
smile = sorted(
    (row.instrument.strike, row.orderbook) for row in rows
    if row.orderbook.mark_iv and (row.instrument.option_type == 'call') == (row.instrument.strike >= index)
)
for strike, book in smile:
    print(f'{strike:>10} {book.mark_iv:>8.4f} {book.mark_price:>14.6f}')

# %% The picture: the marks as a line, the best bids and asks as points.
import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot

figure, axes = pyplot.subplots(figsize=(8, 4.5))
axes.plot([strike for strike, _ in smile], [100 * book.mark_iv for _, book in smile], label='mark')
for name, mark in (('bid_iv', '^'), ('ask_iv', 'v')):
    quoted = [(strike, 100 * getattr(book, name)) for strike, book in smile if getattr(book, name)]
    axes.plot(*zip(*quoted) if quoted else ([], []), mark, label=name.removesuffix('_iv'), markersize=4)
axes.axvline(index, color='grey', linewidth=0.8)
axes.set(xlabel='strike', ylabel='implied volatility, %', title=f'{CURRENCY} {EXPIRY}')
axes.legend()
figure.savefig(FILE, dpi=150)
