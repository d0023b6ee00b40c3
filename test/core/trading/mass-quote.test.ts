// Mass quotes (spec, extensions 4): what becomes of each side, which order a quote is, in which order sides are judged, and that a stale
// page cannot come back.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, IOC, USDC } from '../../../core/units.ts';
import { PUT, POST_ONLY_SLIDE } from '../../../core/codec/commands.ts';
import { BOOK_CHANGED, FILL, FILL_MAKER_ORDER, ORDER_DONE, ORDER_ID, ORDER_REASON, QUOTE_CHANGED, QUOTE_OPEN, QUOTE_REDUCED,
  QUOTE_REMOVED } from '../../../core/codec/events.ts';
import { orderUpdateSeq } from '../../../core/account-streams.ts';
import { CLIENT_ID_BYTES } from '../../../core/limits.ts';
import { createState } from '../../../core/engine/state.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { ORDERS_PER_STEP } from '../../../core/trading/cancel-all.ts';
import { hasCancelJobs } from '../../../core/trading/cancel-jobs.ts';
import { hashOf } from '../../support/venue.ts';
import { check } from './support.ts';
import { QuoteDesk } from './quotes.ts';

const page = (bid: number, ask: number, size = 1) => [{ bid: [size, bid], ask: [size, ask] }] as const;

test('quotes: a page opens a bid and an ask, and the same page again changes nothing', () => {
  const desk = new QuoteDesk();
  assert.equal(desk.quote(1, page(900, 1_100)), C.OK);
  assert.deepEqual(desk.answers(), [{ status: 'OPEN', id: 1, code: 0 }, { status: 'OPEN', id: 2, code: 0 }]);
  assert.deepEqual(desk.page(1), ['bid 1@900', 'ask 1@1100']);
  const entries = desk.quotes(1).map(({ entry }) => entry);
  assert.equal(desk.quote(1, page(900, 1_100)), C.OK);
  assert.deepEqual(desk.statuses(), ['UNCHANGED', 'UNCHANGED']);
  assert.deepEqual([desk.emitted(QUOTE_CHANGED, ORDER_ID), desk.emitted(BOOK_CHANGED, 1)], [[], []], 'no event, no message of the book');
  assert.deepEqual(desk.quotes(1).map(({ entry }) => entry), entries, 'the priority is kept');
  check(desk.state);
});

test('quotes: a new price or a larger size moves a quote, which keeps its id, is youngest again and is one event', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  const [bid, ask] = desk.quotes(1);
  assert.equal(desk.quote(1, [{ bid: [1, 905], ask: [2, 1_100] }]), C.OK);
  assert.deepEqual(desk.answers(), [{ status: 'OPEN', id: 1, code: 0 }, { status: 'OPEN', id: 2, code: 0 }]);
  const [moved, grown] = desk.quotes(1);
  assert.ok(moved!.entry > ask!.entry && grown!.entry > moved!.entry, 'both entered again, bid first');
  assert.deepEqual([moved!.slot, grown!.slot], [bid!.slot, ask!.slot]);
  assert.deepEqual([desk.emitted(QUOTE_CHANGED, ORDER_ID), desk.emitted(QUOTE_CHANGED, ORDER_REASON)], [[1, 2], [QUOTE_OPEN, QUOTE_OPEN]]);
  assert.deepEqual(desk.page(1), ['bid 1@905', 'ask 2@1100']);
  assert.equal(desk.emitted(BOOK_CHANGED, 1).length, 1, 'one message of the book');
  check(desk.state);
});

test('quotes: a smaller size at the same price keeps the priority, and size 0 removes; a side left out stays', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100, 2));
  const { entry } = desk.quotes(1)[0]!;
  assert.equal(desk.quote(1, [{ bid: [0.5, 900] }]), C.OK);
  assert.deepEqual([desk.statuses(), desk.emitted(QUOTE_CHANGED, ORDER_REASON)], [['REDUCED'], [QUOTE_REDUCED]]);
  assert.equal(desk.quotes(1)[0]!.entry, entry);
  assert.deepEqual(desk.page(1), ['bid 0.5@900', 'ask 2@1100']);
  assert.equal(desk.quote(1, [{ bid: [0, null] }]), C.OK);
  assert.deepEqual([desk.statuses(), desk.emitted(QUOTE_CHANGED, ORDER_REASON)], [['REMOVED'], [QUOTE_REMOVED]]);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_ID), [], 'no order update: the wallet asked for it');
  assert.deepEqual(desk.page(1), ['ask 2@1100']);
  assert.equal(desk.quote(1, [{ bid: [0, null] }]), C.OK);
  assert.deepEqual(desk.answers(), [{ status: 'REMOVED', id: 0, code: 0 }], 'what was not there is gone too');
  check(desk.state);
});

test('quotes: a size without a price changes the size alone, and is refused without a quote whose price could be kept', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  assert.equal(desk.quote(1, [{ bid: [3, null], ask: [0.4, null] }]), C.OK);
  assert.deepEqual(desk.statuses(), ['OPEN', 'REDUCED']);
  assert.deepEqual(desk.page(1), ['bid 3@900', 'ask 0.4@1100']);
  assert.equal(desk.quote(1, [{ bid: [1, null] }], { set: 'other' }), C.OK);
  assert.deepEqual(desk.statuses(), [`REJECTED ${C.NO_QUOTE_TO_RESIZE}`]);
  desk.quote(1, [{ bid: [1e9, null] }]);
  assert.deepEqual(desk.statuses(), [`REJECTED ${C.AMOUNT_TOO_LARGE}`], 'the value is checked with the price that is kept');
  check(desk.state);
});

test('quotes: sets of one wallet do not touch each other, and quotes are no client ids', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  desk.quote(1, page(890, 1_110), { set: 'other' });
  assert.equal(desk.quotes(1).length, 4);
  assert.equal(desk.buy(1, 800, 1, { clientId: 'main' }), C.OK, 'the name of a set is a free client id');
  assert.equal(desk.send(desk.write.cancelByClientId(1, desk.next(), 'other')), C.NOT_OPEN);
  assert.equal(desk.send(desk.write.cancelByClientId(1, desk.next(), 'main')), C.OK);
  assert.equal(desk.quotes(1).length, 4, 'the order of that name was cancelled, not the quotes');
  assert.equal(desk.quote(1, [{ bid: [0, null], ask: [0, null] }], { set: 'other' }), C.OK);
  assert.deepEqual(desk.page(1), ['bid 1@900', 'ask 1@1100']);
  check(desk.state);
});

test('quotes: a whole page moves up in one step, although each new bid lies above its old ask', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_000));
  assert.equal(desk.quote(1, page(1_050, 1_150)), C.OK);
  assert.deepEqual([desk.statuses(), desk.emitted(FILL, FILL_MAKER_ORDER)], [['OPEN', 'OPEN'], []]);
  assert.equal(desk.quote(1, page(1_200, 1_160)), C.OK);
  assert.deepEqual(desk.statuses(), ['OPEN', `REJECTED ${C.WOULD_TAKE}`], 'its own bid is in the way of the ask');
  assert.deepEqual(desk.page(1), ['bid 1@1200'], 'the old ask is gone');
  check(desk.state);
});

test('quotes: one that would take is refused alone and its old quote is gone; with slide it rests a step behind', () => {
  const desk = new QuoteDesk();
  desk.sell(2, 1_000, 1);
  desk.quote(1, page(900, 1_100));
  assert.equal(desk.quote(1, page(1_000, 1_090)), C.OK);
  assert.deepEqual(desk.statuses(), [`REJECTED ${C.WOULD_TAKE}`, 'OPEN']);
  assert.deepEqual(
    [desk.emitted(QUOTE_CHANGED, ORDER_ID), desk.emitted(QUOTE_CHANGED, ORDER_REASON)], [[2, 3], [QUOTE_REMOVED, QUOTE_OPEN]],
  );
  assert.equal(desk.quote(1, page(1_005, 1_090), { crossing: POST_ONLY_SLIDE }), C.OK);
  assert.deepEqual(desk.answers(), [{ status: 'OPEN', id: 4, code: 0, price: 999.99 }, { status: 'UNCHANGED', id: 3, code: 0 }]);
  check(desk.state);
});

test('quotes: a refused value fails its side alone and takes its old quote with it', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  assert.equal(desk.quote(1, [{ bid: [0, null], ask: [1, 1_090], codes: [C.PRICE_FIGURES, C.OK] }]), C.OK);
  assert.deepEqual(desk.statuses(), [`REJECTED ${C.PRICE_FIGURES}`, 'OPEN']);
  assert.deepEqual(desk.page(1), ['ask 1@1090']);
  check(desk.state);
});

test('quotes: what one side frees is there for the next, and sides that do not fit are refused in the order of the page', () => {
  const desk = new QuoteDesk();
  const puts = desk.nearest(PUT);
  desk.quote(1, [{ bid: [0.1, 1_000] }]);
  // Bids of options bind their price. Two of these need more than the wallet has.
  const large = Math.floor(desk.cash(1) / USDC / 50_000 * 9) / 10;
  desk.quote(1, [{ bid: [large, 50_000] }]);
  const first = desk.statuses();
  assert.equal(desk.quote(1, [{ bid: [0, null] }, { slot: puts, bid: [large, 50_000] }]), C.OK);
  assert.deepEqual([first, desk.statuses()], [['OPEN'], ['REMOVED', 'OPEN']], 'the removed bid frees what it bound');
  assert.equal(desk.quote(1, [{ bid: [large, 49_000] }, { slot: puts, bid: [large, 50_000] }]), C.OK);
  assert.deepEqual(desk.statuses(), [`REJECTED ${C.INSUFFICIENT_MARGIN}`, 'UNCHANGED']);
  check(desk.state);
});

test('quotes: a fill leaves the quote, whose next size is what shall rest from now on', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100, 2));
  assert.equal(desk.sell(2, 900, 0.5, { tif: IOC }), C.OK);
  assert.equal(desk.quote(1, [{ bid: [1.5, 900] }]), C.OK);
  assert.deepEqual(desk.statuses(), ['UNCHANGED']);
  assert.equal(desk.quote(1, [{ bid: [2, 900] }]), C.OK);
  const [bid] = desk.quotes(1);
  assert.deepEqual([bid!.id, bid!.remaining, bid!.size], [1, 2 * CONTRACT, 2.5 * CONTRACT], 'the filled part stays part of the order');
  check(desk.state);
});

test('quotes: an older nonce than that of the newest page, cancel of quotes or cancel-all is refused whole and not used', () => {
  const desk = new QuoteDesk();
  const old = desk.next();
  desk.quote(1, page(900, 1_100));
  assert.equal(desk.quote(1, page(800, 1_200), { nonce: old }), C.NEWER_QUOTES);
  assert.deepEqual(desk.page(1), ['bid 1@900', 'ask 1@1100']);
  assert.equal(desk.quote(1, page(800, 1_200), { nonce: old, set: 'other' }), C.NEWER_QUOTES, 'whatever its set');
  const ether = desk.nearest(PUT, 'ETH');
  assert.equal(desk.quote(1, [{ slot: ether, bid: [1, 10] }], { nonce: old }), C.OK, 'another underlying has its own newest');
  for (const cancel of [() => desk.cancelQuotes(1), () => desk.send(desk.write.cancelAll(1, desk.next()))]) {
    const before = desk.next();
    assert.equal(cancel(), C.OK);
    assert.equal(desk.quote(1, page(800, 1_200), { nonce: before }), C.NEWER_QUOTES);
    assert.equal(desk.quote(1, [{ slot: ether, bid: [1, 10] }], { nonce: before }), C.NEWER_QUOTES);
  }
  const between = desk.next();
  assert.equal(desk.send(desk.write.cancelAll(1, desk.next(), { underlying: 'ETH' })), C.OK);
  assert.equal(desk.quote(1, page(800, 1_200), { nonce: between }), C.OK, 'a cancel of another underlying does not count');
  check(desk.state);
});

test('quotes: a page that comes at its valid_until is refused, and every other page uses its nonce', () => {
  const desk = new QuoteDesk();
  const nonce = desk.next();
  assert.equal(desk.quote(1, page(900, 1_100), { nonce, until: desk.now }), C.TOO_LATE);
  assert.equal(desk.quote(1, page(900, 1_100), { nonce, until: desk.now + 60_001 }), C.INVALID_VALID_UNTIL);
  assert.equal(desk.quote(1, [{ bid: [1, null] }], { nonce, until: desk.now + 60_000 }), C.OK);
  assert.equal(desk.quote(1, page(900, 1_100), { nonce }), C.NONCE_USED, 'although all of its sides were refused');
});

test('quotes: while the protection is frozen placements are refused, removals and reductions pass', () => {
  const desk = new QuoteDesk();
  desk.protect(1, { quantity: 0.1 });
  desk.quote(1, page(900, 1_100, 2));
  assert.equal(desk.sell(2, 900, 1, { tif: IOC }), C.OK);
  assert.deepEqual(desk.page(1), [], 'quotes always take part');
  assert.equal(desk.quote(1, page(900, 1_100, 2)), C.OK);
  assert.deepEqual(desk.statuses(), [`REJECTED ${C.MMP_FROZEN}`, `REJECTED ${C.MMP_FROZEN}`]);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_ID), []);
});

test('quotes: a cancel by id ends one, a replace of it is refused', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  assert.equal(desk.replace(1, 1, 0, 905, 1), C.ORDER_OF_QUOTE_SET);
  assert.deepEqual(desk.page(1), ['bid 1@900', 'ask 1@1100']);
  assert.equal(desk.cancel(1, 1), C.OK);
  assert.deepEqual([desk.page(1), desk.emitted(ORDER_DONE, ORDER_ID)], [['ask 1@1100'], [1]]);
  assert.equal(desk.quote(1, page(900, 1_100)), C.OK);
  assert.deepEqual(desk.answers().map(({ id }) => id), [3, 2], 'a quote that comes again is another order');
  check(desk.state);
});

test('quotes: caps of the tier are applied side by side, as admission had them', () => {
  const table = DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 3, positions: 1, quotes: 100 }));
  const desk = new QuoteDesk({ rules: { table } });
  const puts = desk.nearest(PUT);
  desk.quote(1, [{ bid: [1, 900], ask: [1, 1_100] }, { slot: puts, bid: [1, 10], ask: [1, 5_000] }]);
  assert.deepEqual(desk.statuses(), ['OPEN', 'OPEN', 'OPEN', `REJECTED ${C.MAX_OPEN_ORDERS}`]);
  assert.equal(desk.sell(2, 900, 1, { tif: IOC }), C.OK);
  desk.quote(1, [{ bid: [1, 899] }, { slot: puts, bid: [1, 11] }]);
  assert.deepEqual(desk.statuses(), ['OPEN', `REJECTED ${C.MAX_POSITIONS}`]);
  check(desk.state);
});

test('quotes: sides are charged as quotes, and a page beyond what is left is refused whole', () => {
  const desk = new QuoteDesk({ rules: { rated: true, table: DEFAULT_LIMITS.map((row) => ({ ...row, quotes: 3, orders: 0 })) } });
  assert.equal(desk.quote(1, page(900, 1_100)), C.OK);
  assert.equal(desk.quote(1, page(901, 1_099)), C.RATE_LIMITED);
  assert.deepEqual(desk.page(1), ['bid 1@900', 'ask 1@1100']);
  assert.equal(desk.quote(1, [{ bid: [1, 901] }]), C.OK, 'one side is left');
  assert.equal(desk.quote(1, [{}]), C.RATE_LIMITED, 'a page that names no side counts as one');
});

test('quotes: only fills and ends that no message about quotes asked for are order updates', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  const updates = (): number => orderUpdateSeq(desk.state.streams.accounts, desk.account(1));
  const quotes = (): number => desk.state.streams.accounts.quotes[desk.account(1)]!;
  assert.deepEqual([updates(), quotes()], [0, 1]);
  desk.quote(1, page(901, 1_099));
  desk.quote(1, page(901, 1_099));
  assert.deepEqual([updates(), quotes()], [0, 2], 'a page that changes nothing is no message');
  desk.sell(2, 901, 0.5, { tif: IOC });
  assert.deepEqual([updates(), quotes()], [1, 2]);
  desk.cancelQuotes(1);
  assert.deepEqual([updates(), quotes()], [1, 3]);
});

test('quotes: a state saved with quotes in it goes on as the original does', () => {
  const desk = new QuoteDesk();
  desk.quote(1, page(900, 1_100));
  desk.quote(1, page(901, 1_101), { set: 'other' });
  const copy = createState(desk.state.limits);
  restoreState(copy, copyOf(desk.state));
  assert.equal(hashOf(copy), hashOf(desk.state));
});

test('quotes: a long cancel ends in steps and in its order what stood before it, of its set and scope alone', () => {
  const desk = new QuoteDesk({ rules: { table: DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 1_000 })) } });
  const slots = desk.slots(({ underlying }) => underlying === 'BTC').slice(0, 40);
  const lines = slots.map((slot) => ({ slot, bid: [0.01, 1], ask: [0.01, 90_000] }) as const);
  for (const set of ['a', 'b']) assert.equal(desk.quote(1, lines, { set }), C.OK);
  const plain = slots.map((slot) => {
    assert.equal(desk.buy(1, 0.5, 0.01, { slot }), C.OK);
    return desk.number(0);
  });
  const isOf = (set: string, slot: number): boolean => desk.state.orders.idBytes[slot * CLIENT_ID_BYTES] === set.charCodeAt(0);
  const ids = (set: string): number[] => desk.quotes(1).filter(({ slot }) => isOf(set, slot)).map(({ id }) => id);
  const others = ids('b');
  assert.equal(desk.cancelQuotes(1, 'a'), C.OK);
  assert.deepEqual([desk.number(0), desk.number(1), ids('a').length], [ORDERS_PER_STEP, 1, 80 - ORDERS_PER_STEP]);
  assert.equal(desk.sell(2, 1, 0.01, { slot: slots.at(-1)!, tif: IOC }), C.OK);
  assert.equal(desk.number(1), 0.01 * CONTRACT);
  assert.deepEqual(desk.emitted(QUOTE_CHANGED, ORDER_REASON), [QUOTE_REMOVED], 'it met the ended quote before that of the other set');
  assert.equal(desk.quote(1, lines.slice(-2, -1), { set: 'a' }), C.OK);
  assert.deepEqual(desk.statuses(), ['OPEN', 'OPEN'], 'a page that comes before the steps finds the quotes gone');
  const fresh = desk.answers().map(({ id }) => id);
  for (let steps = 0; hasCancelJobs(desk.state.cancelJobs); steps++) {
    desk.events = [];
    assert.ok(steps < 10 && runDue(desk.sequencer, desk.now));
    assert.ok(desk.emitted(QUOTE_CHANGED, ORDER_ID).length <= ORDERS_PER_STEP);
  }
  assert.deepEqual(ids('a'), fresh);
  assert.equal(ids('b').length, others.length - 1);
  assert.equal(desk.orders(1).filter(({ id }) => plain.includes(id)).length, plain.length);
  assert.equal(desk.cancelQuotes(1), C.OK);
  while (hasCancelJobs(desk.state.cancelJobs)) runDue(desk.sequencer, desk.now);
  assert.deepEqual([desk.quotes(1).length, desk.orders(1).length], [0, plain.length]);
  check(desk.state);
});

test('quotes: a page removes its bid and meets an ask that a long cancel has ended, the last orders of their contract', () => {
  const desk = new QuoteDesk({ rules: { table: DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 1_000 })) } });
  const slots = desk.slots(({ underlying }) => underlying === 'BTC').slice(0, ORDERS_PER_STEP + 8);
  const last = slots.at(-1)!;
  for (const [side, size, status] of [['none', 0, 'REMOVED'], ['a new one', 1, 'OPEN']] as const) {
    assert.equal(desk.quote(1, slots.map((slot) => ({ slot, ask: [1, 400_000] }))), C.OK);
    assert.equal(desk.cancelQuotes(1), C.OK);
    assert.equal(desk.quote(1, [{ slot: last, bid: [1, 1] }]), C.OK);
    assert.ok(hasCancelJobs(desk.state.cancelJobs), 'the ask waits for its cancel');
    assert.equal(desk.quote(1, [{ slot: last, bid: [0, null], ask: [size, 300_000] }]), C.OK, side);
    assert.deepEqual(desk.statuses(), ['REMOVED', status]);
    assert.equal(desk.orders(1).filter(({ instrument }) => instrument === last).length, size);
    while (hasCancelJobs(desk.state.cancelJobs)) runDue(desk.sequencer, desk.now);
    check(desk.state);
  }
});
