// The event of a refused command or batch item. A refused order or replace is an order update too, so it takes a number of the wallet's
// stream.

import { countOrderUpdate } from '../account-streams.ts';
import { PLACE_ORDER, REPLACE_ORDER } from '../codec/commands.ts';
import { ACCOUNT, emit, REFUSED, REFUSED_CODE, REFUSED_KIND, REFUSED_NUMBERS, REFUSED_SLOTS } from '../codec/events.ts';
import type { Trading } from './context.ts';

export function writeRefusal({ events, result, streams }: Trading, account: number, kind: number): void {
  const f = events.slots;
  if (kind === PLACE_ORDER || kind === REPLACE_ORDER) countOrderUpdate(streams.accounts, account);
  f[ACCOUNT] = account;
  f[REFUSED_KIND] = kind;
  f[REFUSED_CODE] = result.code;
  for (let i = 0; i < 4; i++) f[REFUSED_NUMBERS + i] = result.numbers[i];
  emit(events, REFUSED, REFUSED_SLOTS);
}
