// competition: how the wallet stands in the competitions it has scored in, at every full minute and at the end of one. What is
// sent is what was kept a moment before: the rows of the command in hand.

import { HISTORY_BUSY } from '../answers.ts';
import { accountOfWallet } from '../text.ts';
import { keptStanding } from './resume.ts';
import { openWallet, type Key, type ChannelSource, type SourceParts } from './source.ts';

export function competitionSource(parts: SourceParts): ChannelSource {
  const { state, rows: { messages }, topics, moments } = parts;
  return {
    hears: [],
    note: () => undefined,
    settle: ({ seq }) => {
      let first = messages.length;
      while (first > 0 && messages[first - 1]!.seq === seq) first--;
      for (let at = first; at < messages.length; at++) {
        const { channel, wallet, number, text } = messages[at]!;
        if (channel === 'competition') topics.tell(accountOfWallet(state, wallet), number, () => text);
      }
    },
    open: (key) => openWallet(state, key),
    stand: (key, wish, ready) => moments.number(key.key, (number) => {
      if (number === null) return ready(HISTORY_BUSY);
      // What the history says while it is asked for messages is told by what is known then.
      const seqOf = ({ key: wallet }: Key): number => moments.known(wallet) ?? number;
      keptStanding(parts, 'competition', { seqOf, toMessage: ({ text }) => text })(key, wish, ready);
    }),
  };
}
