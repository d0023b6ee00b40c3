// order_updates: every change of an order, to its wallet; for a maker that stays open, with the fill.

import { closedOrderUpdates } from '../../../core/accounts/closed-accounts.ts';
import { orderUpdateSeq } from '../../../core/account-streams.ts';
import { FILL, ORDER_ACCEPTED, ORDER_AMENDED, ORDER_DONE, ORDER_RESTED, ORDER_SHRUNK, ORDER_TRIGGERED, ORDER_UNTRIGGERED,
  REFUSED } from '../../../core/codec/events.ts';
import { accountOfUpdate, orderUpdateOf, orderUpdateText, unpackUpdate } from '../history/messages.ts';
import { resumeMessages } from './resume.ts';
import { openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';

export function orderUpdatesSource(parts: SourceParts): ChannelSource {
  const { state, topics } = parts;
  const seqOf = (account: number): number => orderUpdateSeq(state.streams.accounts, account);
  return {
    events: [FILL, ORDER_ACCEPTED, ORDER_AMENDED, ORDER_RESTED, ORDER_DONE, ORDER_SHRUNK, ORDER_TRIGGERED, ORDER_UNTRIGGERED, REFUSED],
    onEvent: (kind, f, record) => {
      const account = accountOfUpdate(kind, f);
      if (account >= 0) topics.publish(account, seqOf(account), () => orderUpdateText(orderUpdateOf(parts, kind, f, record)));
    },
    open: (key) => openWallet(state, key),
    snapshot: resumeMessages(parts, 'order_updates', {
      seqOf: (key) => walletSeq(state, seqOf, key, (row) => closedOrderUpdates(state.closed, row)),
      toMessage: ({ number, text }, wallet) => orderUpdateText(unpackUpdate(text, wallet, number)),
    }),
  };
}
