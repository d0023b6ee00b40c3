// Resumes a private stream after the client's last message: first from the history, then from rows in memory. A long gap is sent in
// parts. Must never give a message whose number does not follow the one before.

import { KEPT_LEDGER, KEPT_MESSAGES, type FillRow, type HistoryQuery, type KeptMessage, type LedgerRow, type MessageChannel,
  type MessageRow } from '../../storage/history/protocol.ts';
import { refuse, type Refusal } from '../../http/errors.ts';
import { behind, HISTORY_BUSY } from '../answers.ts';
import { ledgerMessage } from '../history/ledger-rows.ts';
import { fillText } from '../history/messages.ts';
import type { TopicKey, GiveSnapshot, SourceParts, SnapshotOptions } from './source.ts';

export const RESUME_PART = 1_000;
export const RESUME_FILLS = 100_000;

type Resume = (key: TopicKey, options: SnapshotOptions, give: GiveSnapshot) => void;

type Found = { readonly seq: number; readonly message: () => string };

type ResumeSource = {
  readonly channel: string;
  readonly seqOf: (key: TopicKey) => number;
  readonly kept: number;
  readonly ask: (key: TopicKey, after: number, limit: number, take: (found: readonly Found[]) => void) => boolean;
};

function resumeWith({ channel, seqOf, kept, ask }: ResumeSource): Resume {
  return (key, { fromSeq, follows }, give) => {
    const newest = seqOf(key);
    const cannot = (why: string): Refusal => refuse('invalid_parameter', `Cannot resume ${channel} from seq ${fromSeq}: ${why}`);
    if (fromSeq === undefined || fromSeq === newest) return give({ seq: newest, messages: [] });
    if (fromSeq > newest) return give(follows === true ? behind(`number ${fromSeq} of ${channel}`) : cannot(`newest is ${newest}`));
    const after = Math.max(fromSeq, newest - kept);
    const isAsked = ask(key, after, RESUME_PART, (found) => {
      const oldest = found[0]?.seq ?? seqOf(key) + 1;
      if (oldest > fromSeq + 1) return give(cannot(`oldest kept is ${oldest}`));
      found.forEach(({ seq }, i) => {
        if (seq !== oldest + i) throw new RangeError(`${channel} of ${key.key} has no message ${oldest + i}`);
      });
      const isPart = fromSeq + found.length < seqOf(key);
      give({ seq: fromSeq, messages: found.map(({ message }) => message()), isPart });
    });
    if (!isAsked) give(HISTORY_BUSY);
  };
}

type Kept = {
  readonly seqOf: (key: TopicKey) => number;
  readonly toMessage: (kept: KeptMessage, wallet: string) => string;
};

export function resumeMessages({ rows, history }: SourceParts, channel: MessageChannel, { seqOf, toMessage }: Kept): Resume {
  return resumeWith({
    channel, seqOf, kept: KEPT_MESSAGES[channel],
    ask: ({ key: wallet }, after, limit, take) => history.ask({ name: 'messages', wallet, channel, after, limit }, (stored, appliedSeq) => {
      const found = [...stored as KeptMessage[]];
      const isMore = (row: MessageRow): boolean => (
        row.seq > appliedSeq && row.wallet === wallet && row.channel === channel && row.number > after
      );
      for (const row of rows.messages) if (found.length < limit && isMore(row)) found.push(row);
      take(found.map((one) => ({ seq: one.number, message: () => toMessage(one, wallet) })));
    }),
  });
}

export function resumeLedger({ rows, history }: SourceParts, seqOf: (key: TopicKey) => number): Resume {
  return resumeWith({
    channel: 'ledger', seqOf, kept: KEPT_LEDGER,
    ask: ({ key: wallet }, after, limit, take) => history.ask({ name: 'ledgerAfter', wallet, after, limit }, (stored, appliedSeq) => {
      const found = [...stored as LedgerRow[]];
      for (const row of rows.ledger) {
        if (found.length < limit && row.seq > appliedSeq && row.wallet === wallet && row.number > after) found.push(row);
      }
      take(found.map((row) => ({ seq: row.number, message: () => ledgerMessage(row) })));
    }),
  });
}

export function resumeFills({ rows, history }: SourceParts, seqOf: (key: TopicKey) => number): Resume {
  return resumeWith({
    channel: 'fills', seqOf, kept: RESUME_FILLS,
    ask: (key, after, limit, take) => {
      const { key: wallet } = key;
      const newest = seqOf(key);
      const recent = rows.fills.reduce((count, row) => count + Number(row.wallet === wallet), 0);
      // The store may lack at most the rows in memory.
      const skip = Math.max(0, newest - after - limit - recent);
      const query: HistoryQuery = { name: 'fills', wallet, skip, limit: newest - after - skip };
      return history.ask(query, (stored, appliedSeq) => {
        const fresh = rows.fills.filter((row) => row.wallet === wallet && row.seq > appliedSeq);
        const first = seqOf(key) - fresh.length + 1;
        const numbered = (list: readonly FillRow[], from: number): Found[] => list.map((row, i) => (
          { seq: from + i, message: () => fillText(row, from + i) }
        ));
        const old = (stored as FillRow[]).toReversed();
        const found = numbered(old, first - skip - old.length).filter(({ seq }) => seq > after);
        if ((found.at(-1)?.seq ?? after) >= first - 1) found.push(...numbered(fresh, first).filter(({ seq }) => seq > after));
        take(found.slice(0, limit));
      });
    },
  });
}
