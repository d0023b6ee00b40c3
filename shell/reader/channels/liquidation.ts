// liquidation: changes of an account's liquidation state. A resumed stream gets missed messages as they were made.

import { ACCOUNT, LIQUIDATION_CHANGED } from '../../../core/codec/events.ts';
import { liquidationMessage } from '../history/liquidation-message.ts';
import { resumeMessages } from './resume.ts';
import { openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';

export function liquidationSource(parts: SourceParts): ChannelSource {
  const { state, names, topics } = parts;
  const { liquidation } = state.streams.accounts;
  return {
    events: [LIQUIDATION_CHANGED],
    onEvent: (_, f, { time }) => {
      const account = f[ACCOUNT]!;
      topics.publish(account, liquidation[account]!, () => liquidationMessage(state, names, f, time));
    },
    open: (key) => openWallet(state, key),
    snapshot: resumeMessages(parts, 'liquidation', {
      seqOf: (key) => walletSeq(state, (account) => liquidation[account]!, key), toMessage: ({ text }) => text,
    }),
  };
}
