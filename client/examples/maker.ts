// A market maker in thirty lines: quotes both ways around the mark, follows it, and takes its quotes away on Ctrl-C.
// STRIKEBOOK_URL and STRIKEBOOK_KEY name the venue and the key; the first argument is the symbol.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createPrivateKey, privateKeySigner, roundPrice, type Side } from '../src/main.ts';

const { STRIKEBOOK_URL: url = 'http://127.0.0.1:8080', STRIKEBOOK_KEY: key = createPrivateKey() } = process.env;
const symbol = process.argv[2] ?? 'BTC-PERP';
const venue = await connect(url, { signer: privateKeySigner(key) });
const quotes = new Map<Side, { id: number; price: string }>();

const socket = venue.socket({ onGap: (gap) => console.error('missed', gap) });
await socket.subscribe('order_updates', {
  symbols: [symbol],
  onMessage: ({ order_id: id, status, request: { side, price } }) => {
    console.log(status, side, price);
    if ((status === 'FILLED' || status === 'CANCELED') && quotes.get(side)?.id === id) quotes.delete(side);
  },
});

async function quote(side: Side, price: string): Promise<void> {
  const old = quotes.get(side);
  if (old?.price === price) return;
  const terms = { symbol, side, size: '0.1', price };
  const update = old === undefined ? await venue.placeOrder(terms) : await venue.replaceOrder({ ...terms, order_id: old.id });
  if (update.order_id === null) quotes.delete(side); // Refused, or filled meanwhile: the next round places a new one.
  else quotes.set(side, { id: update.order_id, price });
}

let isOver = false;
process.once('SIGINT', () => { isOver = true; });
for (; !isOver; await sleep(2_000)) {
  const { mark_price: mark } = await venue.get('/orderbook', { instrument_name: symbol });
  await Promise.all([quote('Buy', roundPrice(mark * 0.99, 'down')), quote('Sell', roundPrice(mark * 1.01, 'up'))]);
}
await venue.cancelAll(symbol);
socket.close();
