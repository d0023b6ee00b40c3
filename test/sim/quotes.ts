// Mass quotes and their cancels in the simulation: pages that open, move, resize and remove, some late, stale or too far ahead.

import { BUY, MINUTE, SELL } from '../../core/units.ts';
import { POST_ONLY_REJECT, POST_ONLY_SLIDE } from '../../core/codec/commands.ts';
import { OK } from '../../core/errors.ts';
import { accountOf, contractOf, type Means } from './draw.ts';
import { CODES } from './names.ts';
import type { Registry } from './registry.ts';

const SETS = ['main', 'wing', 'q'.repeat(32)];

export function actOnQuotes(action: 'massQuote' | 'cancelQuotes', means: Means, registry: Registry): void {
  if (action === 'massQuote') sendPage(means);
  else cancelQuotes(means, registry);
}

function sendPage({ anyone: wallet, count, draw, random, send, venue }: Means): void {
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
function cancelQuotes({ count, draw, random, send, venue }: Means, registry: Registry): void {
  const { state } = venue;
  const { wallet, within, ...of } = draw.cancelAll(state);
  const set = random.pick(['', ...SETS]);
  const last = state.orders.counters[5]!;
  if (send(venue.write.cancelQuotes(wallet, draw.nonce(wallet), set, of)) !== OK) return;
  if (state.result.numbers[0]! > 0) count('cancel of quotes');
  registry.end(accountOf(state, wallet), last, within, 0, set);
}
