// The chains that a cluster run leaves: the frames of a journal, and those of the log, read by the rule of every node.

import { setTimeout as sleep } from 'node:timers/promises';
import { frameHash, genesisHash, hashText } from '../../../shell/storage/journal/chain.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { decodeMessage, firstPrev, type LogIdentity } from '../../../shell/storage/replication/message.ts';
import type { ReplicatedLog } from '../../../shell/storage/replication/port.ts';
import { judge, startReader } from '../../../shell/storage/replication/reader-rule.ts';

const AT_ONCE = 64;
const ENDS = 10;
const LOOK_EVERY_MS = 200;

export type LogRead = {
  /** As `chainOf` names them. */
  readonly frames: readonly string[];
  readonly epochs: number;
  readonly stale: number;
  readonly unreadable: number;
};

/** Seqs and bytes of each frame, in order. */
export function chainOf(data: string): string[] {
  return [...readFrames(data, 1)].map(({ firstSeq, lastSeq, hash }) => frameName(firstSeq, lastSeq, hash));
}

/** Throws where a node would halt. */
export async function readLog(log: ReplicatedLog, identity: LogIdentity): Promise<LogRead> {
  const state = startReader({ position: 0, hash: firstPrev(identity.venue), seq: 0, epoch: 0, owner: null });
  const frames: string[] = [];
  let head = genesisHash(identity.venue);
  let unreadable = 0;
  for (let ends = 0; ends < ENDS;) {
    const at = state.next;
    const results = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => log.read(at + index)));
    for (const result of results) {
      if (result.type === 'gap') throw new Error(`positions ${state.next} to ${result.next - 1} are not in the log`);
      if (result.type === 'notYet') break;
      const message = decodeMessage(result.bytes, identity);
      if (message === null) unreadable++;
      const verdict = judge(state, message);
      if (typeof verdict === 'object' || verdict === 'again') throw new Error(`position ${state.next}: ${JSON.stringify(verdict)}`);
      if (verdict !== 'accepted' || message!.first === 0) continue;
      head = frameHash(head, message!.first, message!.last, message!.bytes);
      frames.push(frameName(message!.first, message!.last, head));
    }
    // A read that had no answer looks like the end.
    ends = state.next === at ? ends + 1 : 0;
    if (ends > 0) await sleep(LOOK_EVERY_MS);
  }
  return { frames, epochs: state.epoch, stale: state.stale, unreadable };
}

function frameName(first: number, last: number, hash: Uint8Array): string {
  return `${first} to ${last} ${hashText(hash)}`;
}
