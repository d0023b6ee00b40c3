// The commands of the generator as records of the venue: the venue's names and numbers in place of the model's.

import * as errors from '../../core/errors.ts';
import { DELETE_MMP, FLAG_ENTRY, RESET_MMP } from '../../core/codec/commands.ts';
import type { Views } from '../../core/codec/record.ts';
import type { OrderFields, RecordWriter } from '../support/records.ts';
import type { TestVenue } from '../support/venue.ts';
import { UNDERLYINGS } from './given.ts';
import type { Command, Draft, QuoteSide } from './terms.ts';

type Scope = Parameters<RecordWriter['cancelAll']>[2];
/** A command of a wallet, which has an answer. */
export type Action = Exclude<Command, {
  kind: 'wait' | 'index' | 'surface' | 'configure' | 'halt' | 'block' | 'operatorCancel' | 'credit';
}>;

/** The record of a command that has this nonce. */
export function recordOf(venue: TestVenue, command: Action, nonce: number): Views {
  const { write } = venue;
  const { wallet } = 'draft' in command ? command.draft : command;
  switch (command.kind) {
    case 'place': return write.place(fieldsOf(venue, command.draft, nonce));
    case 'replace': return write.replace(fieldsOf(venue, command.draft, nonce), command.id);
    case 'amend':
      return write.amendOrder(wallet, nonce, {
        orderId: command.id, price: Number(command.price), size: Number(command.size), triggerPrice: Number(command.triggerPrice),
      });
    case 'cancel': return write.cancel(wallet, nonce, command.id);
    case 'cancelByClientId': return write.cancelByClientId(wallet, nonce, command.clientId);
    case 'cancelAll': return write.cancelAll(wallet, nonce, scopeOf(venue, command));
    case 'cancelQuotes': return write.cancelQuotes(wallet, nonce, command.set, scopeOf(venue, command));
    case 'massQuote': return write.massQuote({
      wallet, nonce, set: command.set, until: command.until, crossing: command.crossing,
      lines: command.lines.map(({ sides: [bid, ask], slot }) => ({
        ...venue.contract(slot), bid: pairOf(bid), ask: pairOf(ask), codes: [codeOf(bid), codeOf(ask)] as const,
      })),
    });
    case 'cancelAfter': return write.cancelAfter(wallet, nonce, command.timeout);
    case 'setProtection': return write.mmp(wallet, nonce, UNDERLYINGS[command.underlying]!, command.limits);
    case 'endProtection':
      return write.endMmp(command.isDeleted ? DELETE_MMP : RESET_MMP, wallet, nonce, UNDERLYINGS[command.underlying]!);
    case 'mode': return write.marginMode(wallet, nonce, command.mode);
    case 'tier': return write.tier(wallet, command.tier);
  }
}

function scopeOf(venue: TestVenue, { slot, underlying }: { slot: number | null; underlying: number | null }): Scope {
  return slot !== null ? { contract: venue.contract(slot) } : underlying !== null ? { underlying: UNDERLYINGS[underlying]! } : {};
}

function fieldsOf(venue: TestVenue, { entryOf, slot, price, size, trigger, ...rest }: Draft, nonce: number): OrderFields {
  const entry = entryOf === undefined ? {} : { linkId: entryOf, flags: rest.flags | FLAG_ENTRY };
  const triggers = trigger === null ? {}
    : { triggerBy: trigger.by, triggerDirection: trigger.direction, triggerPrice: Number(trigger.price) };
  return { ...venue.contract(slot), ...rest, ...entry, ...triggers, nonce, price: Number(price), size: Number(size) };
}

const pairOf = ({ price, size }: QuoteSide): [number | null, number | null] =>
  [size === null ? null : Number(size), price === null ? null : Number(price)];
const codeOf = ({ code }: QuoteSide): number => (code === null ? 0 : errors[code as 'PRICE_FIGURES']);
