// fills: both sides of every trade, each to its wallet. Its seq counts the fills of the wallet, so that they are the rows of its
// listing in the same order.

import { fillSeq } from '../../../core/account-streams.ts';
import { FILL, FILL_MAKER, FILL_TAKER } from '../../../core/codec/events.ts';
import { fillMessage } from '../messages.ts';
import { fillsStanding } from './resume.ts';
import { openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';

export function fillsSource(parts: SourceParts): ChannelSource {
  const { state, names, topics } = parts;
  const seqOf = (account: number): number => fillSeq(state.streams.accounts, account);
  return {
    hears: [FILL],
    note: (_, f, { time }) => {
      for (const isTaker of [true, false]) {
        const account = f[isTaker ? FILL_TAKER : FILL_MAKER]!;
        topics.tell(account, seqOf(account), () => fillMessage(state, names, f, isTaker, time));
      }
    },
    open: (key) => openWallet(state, key),
    stand: fillsStanding(parts, (key) => walletSeq(state, seqOf, key)),
  };
}
