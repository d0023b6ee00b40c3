// quotes: a wallet's open quotes, then what each of its quote messages changed, one message a command. Past messages are not stored: a
// resume from an old number gets a new snapshot.

import { closedQuotes } from '../../../core/accounts/closed-accounts.ts';
import { orderId, orderInstrument, orderKey, orderRemaining, orderSide } from '../../../core/book/pool.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { ACCOUNT, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_SIDE, ORDER_SIZE, ORDER_SLOT, QUOTE_CHANGED,
  QUOTE_OPEN, QUOTE_REDUCED, QUOTE_REMOVED } from '../../../core/codec/events.ts';
import { isQuote } from '../../../core/orders/names.ts';
import type { MessageNamed } from '../../http/shapes/messages.ts';
import { openOrdersOf } from '../history/orders.ts';
import { accountOfWallet, micro, quoteSetOfSlot, sideText } from '../text.ts';
import { openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';

type Changed = MessageNamed<'QuotesUpdate'>['quotes'][number];

const STATUSES = { [QUOTE_OPEN]: 'OPEN', [QUOTE_REDUCED]: 'REDUCED', [QUOTE_REMOVED]: 'REMOVED' } as const;

export function quotesSource(parts: SourceParts): ChannelSource {
  const { state, topics, names } = parts;
  const { quotes: seqs } = state.streams.accounts;
  let changed = new Map<number, Changed[]>();
  const message = (wallet: string, isSnapshot: boolean, quotes: readonly Changed[], timestamp: number, seq: number): string => (
    JSON.stringify({
      type: 'QuotesUpdate', wallet_address: wallet, is_snapshot: isSnapshot, quotes, timestamp, seq,
    } satisfies MessageNamed<'QuotesUpdate'>)
  );
  const openQuote = (slot: number): Changed => ({
    quote_set: quoteSetOfSlot(state, slot), symbol: names.symbol(orderInstrument(state.books, slot)),
    side: sideText(orderSide(state.books, slot)), status: 'OPEN', order_id: orderId(state.books, slot),
    price: micro(priceOfKey(orderKey(state.books, slot))), size: micro(orderRemaining(state.books, slot)),
  });
  return {
    events: [QUOTE_CHANGED],
    onEvent: (_, f) => {
      const account = f[ACCOUNT]!;
      if (!topics.hasSubscribers(account)) return;
      const status = STATUSES[f[ORDER_REASON] as keyof typeof STATUSES];
      let list = changed.get(account);
      if (list === undefined) changed.set(account, list = []);
      list.push({
        quote_set: quoteSetOfSlot(state, f[ORDER_SLOT]!), symbol: names.symbol(f[ORDER_INSTRUMENT]!), side: sideText(f[ORDER_SIDE]!),
        status, order_id: f[ORDER_ID]!, price: micro(f[ORDER_PRICE]!),
        size: status === 'REMOVED' ? '0' : micro(f[ORDER_SIZE]! - f[ORDER_FILLED]!),
      });
    },
    finish: ({ time }) => {
      if (changed.size === 0) return;
      for (const [account, quotes] of changed) {
        topics.publish(account, seqs[account]!, () => message(names.wallet(account), false, quotes, time, seqs[account]!));
      }
      changed = new Map();
    },
    open: (key) => openWallet(state, key),
    snapshot: (opened, { time, fromSeq }, give) => {
      const seq = walletSeq(state, (account) => seqs[account]!, opened, (row) => closedQuotes(state.closed, row));
      if (fromSeq === seq) return give({ seq, messages: [] });
      const open = openOrdersOf(state, accountOfWallet(state, opened.key)).filter((slot) => isQuote(state.orders, slot));
      give({ seq, messages: [message(opened.key, true, open.map(openQuote), time, seq)] });
    },
  };
}
