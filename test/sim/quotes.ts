// Mass quotes and their cancels in the simulation: pages that open, move, resize and remove, some late, stale or too far ahead.

import { BUY, MINUTE, SELL } from '../../core/units.ts';
import { POST_ONLY_REJECT, POST_ONLY_SLIDE } from '../../core/codec/commands.ts';
import { OK } from '../../core/errors.ts';
import { accountOf, contractOf, fiveFigures, type RunContext } from './draw.ts';
import { CODES } from './names.ts';
import type { Registry } from './registry.ts';

const SETS = ['main', 'wing', 'q'.repeat(32)];

const MARKET_MAKER = 3;
/** Contracts drawn that a maker may quote before a cancel that takes several steps. */
const QUOTED = 48;

type Side = readonly [size: number | null, price: number | null];
const UNTOUCHED: Side = [null, null];
const REMOVED: Side = [0, null];

export function actOnQuotes(action: 'massQuote' | 'cancelQuotes' | 'requote', means: RunContext, registry: Registry): void {
  if (action === 'massQuote') sendPage(means);
  else if (action === 'cancelQuotes') cancelQuotes(means, registry);
  else requote(means, registry);
}

/** A maker quotes more than one step can cancel, cancels all, and quotes some sides anew while ended quotes still wait for their turn. */
function requote({ anyone: wallet, count, draw, random, send, venue }: RunContext, registry: Registry): void {
  const { state } = venue;
  send(venue.write.tier(wallet, MARKET_MAKER));
  const first = draw.option(state);
  const slots = [...new Set(Array.from({ length: QUOTED }, () => draw.option(state)))]
    .filter((slot) => state.instruments.underlying[slot] === state.instruments.underlying[first]);
  if (slots.length === 0) return;
  const set = random.pick(SETS);
  const page = (sides: (slot: number) => readonly [bid: Side, ask: Side]): number => send(venue.write.massQuote({
    wallet, nonce: draw.nonce(wallet), set, until: venue.now + MINUTE, crossing: POST_ONLY_REJECT,
    lines: slots.map((slot) => ({ ...contractOf(state, slot), bid: sides(slot)[0], ask: sides(slot)[1] })),
  }));
  const quote = (slot: number, part: number): Side => [20, fiveFigures(Math.max(1_000, state.valuation.mark[slot]!) * part)];
  page((slot) => [quote(slot, 0.4), quote(slot, 2)]);
  const last = state.orders.counters[5]!;
  if (send(venue.write.cancelAll(wallet, draw.nonce(wallet), {})) !== OK) return;
  if (state.result.numbers[1] !== 0) count('pages during a long cancel');
  registry.end(accountOf(state, wallet), last, () => true);
  const bids = random.chance(0.5);
  page((slot) => (bids ? [quote(slot, 0.3), UNTOUCHED] : [UNTOUCHED, quote(slot, 3)]));
  page((slot) => [random.pick([REMOVED, UNTOUCHED, quote(slot, 0.3)]), random.pick([REMOVED, UNTOUCHED, quote(slot, 3)])]);
}

function sendPage({ anyone: wallet, count, draw, random, send, venue }: RunContext): void {
  const { state } = venue;
  const first = random.chance(0.3) ? state.instruments.perpOf[0]! : draw.option(state);
  const slots = new Set([first]);
  for (let left = random.between(0, 5); left > 0; left--) {
    const slot = draw.option(state);
    if (state.instruments.underlying[slot] === state.instruments.underlying[first]) slots.add(slot);
  }
  const side = (slot: number, of: number): readonly [number | null, number | null] => {
    if (random.chance(0.15)) return [null, null];
    if (random.chance(0.1)) return [0, null];
    const { price, size } = draw.amount(draw.price(state, slot, of), draw.size());
    return [size, random.chance(0.2) ? null : price];
  };
  send(venue.write.massQuote({
    wallet, nonce: draw.nonce(wallet), set: random.pick(SETS), until: venue.now + random.pick([0, 1_000, MINUTE, MINUTE, MINUTE + 1]),
    crossing: random.pick([POST_ONLY_REJECT, POST_ONLY_SLIDE]),
    lines: [...slots].map((slot) => ({ ...contractOf(state, slot), bid: side(slot, BUY), ask: side(slot, SELL) })),
  }));
  count(`mass quote ${CODES.get(state.result.code)}`);
}

/** All quotes of the set in the scope must end and may not trade any more. */
function cancelQuotes({ count, draw, random, send, venue }: RunContext, registry: Registry): void {
  const { state } = venue;
  const { wallet, within, ...of } = draw.cancelAll(state);
  const set = random.pick(['', ...SETS]);
  const last = state.orders.counters[5]!;
  if (send(venue.write.cancelQuotes(wallet, draw.nonce(wallet), set, of)) !== OK) return;
  if (state.result.numbers[0]! > 0) count('cancel of quotes');
  registry.end(accountOf(state, wallet), last, within, 0, set);
}
