// competition: a wallet's rank and score, every full minute and at the end, from rows of the current command.

import { HISTORY_BUSY } from '../answers.ts';
import { accountOfWallet } from '../text.ts';
import { resumeMessages } from './resume.ts';
import { openWallet, type TopicKey, type ChannelSource, type SourceParts } from './source.ts';

export function competitionSource(parts: SourceParts): ChannelSource {
  const { state, rows: { messages }, topics, competitionMessages } = parts;
  return {
    events: [],
    onEvent: () => undefined,
    finish: ({ seq }) => {
      let first = messages.length;
      while (first > 0 && messages[first - 1]!.seq === seq) first--;
      for (let at = first; at < messages.length; at++) {
        const { channel, wallet, number, text } = messages[at]!;
        if (channel === 'competition') topics.publish(accountOfWallet(state, wallet), number, () => text);
      }
    },
    open: (key) => openWallet(state, key),
    snapshot: (key, options, give) => competitionMessages.number(key.key, (number) => {
      if (number === null) return give(HISTORY_BUSY);
      const seqOf = ({ key: wallet }: TopicKey): number => competitionMessages.known(wallet) ?? number;
      resumeMessages(parts, 'competition', { seqOf, toMessage: ({ text }) => text })(key, options, give);
    }),
  };
}
