// ledger: every movement of a wallet's cash. Its seq counts the rows of the wallet's ledger.

import { closedLedger } from '../../../core/accounts/closed-accounts.ts';
import { MOVING_EVENTS } from '../../../core/ledger/movements.ts';
import { ledgerMessage, ledgerRowsOf } from '../history/ledger-rows.ts';
import { resumeLedger } from './resume.ts';
import { openWallet, walletSeq, type ChannelSource, type SourceParts } from './source.ts';

export function ledgerSource(parts: SourceParts): ChannelSource {
  const { state, topics } = parts;
  const { movements } = state.accounts;
  return {
    events: MOVING_EVENTS,
    onEvent: (kind, f, record) => {
      for (const row of ledgerRowsOf(parts, kind, f, record)) {
        const topic = topics.byKey.get(row.wallet);
        if (topic !== undefined) topics.send(topic, row.number, Buffer.from(ledgerMessage(row)));
      }
    },
    open: (key) => openWallet(state, key),
    snapshot: resumeLedger(parts, (key) => (
      walletSeq(state, (account) => movements[account]!, key, (row) => closedLedger(state.closed, row))
    )),
  };
}
