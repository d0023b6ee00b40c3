// What the brokers have lost of a log, appended to it again from the journal of one node: offline, by its operator (`--append-lost`). The
// frames are the old ones, in messages of a new epoch; at the end the office is given up, so that any node may lead.

import { setTimeout as sleep } from 'node:timers/promises';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import { readFrames } from '../journal/read.ts';
import { LogRefusal } from './jetstream-stream.ts';
import { KnownFrames } from './known-frames.ts';
import { decodeMessage, encodeMessage, hashOf, type Kind, type LogIdentity, type Member, type Message } from './message.ts';
import type { ReplicatedLog } from './port.ts';
import { judge, startReader, type ReaderState, type ResumePoint } from './reader-rule.ts';
import type { Frame } from './replica.ts';

type Lost = {
  readonly log: Pick<ReplicatedLog, 'read' | 'append'>; readonly identity: LogIdentity; readonly me: Member; readonly dataFolder: string;
  /** Where the log begins. */
  readonly from: ResumePoint;
  readonly waitMs?: number;
};

/** A read without an answer looks like the end. */
const ENDS = 10;
const WAIT_MS = 200;
const TRIES = 50;
const NO_RECORDS: Frame = { first: 0, last: 0, bytes: new Uint8Array(), digests: [] };

/** Where the log ends then. Throws LogRefusal where the journal does not continue the log. */
export async function appendLost(lost: Lost): Promise<ResumePoint> {
  const state = await readAll(lost);
  let kind: Kind = 'lead';
  for (const { firstSeq, lastSeq, bytes } of readFrames(lost.dataFolder, state.seq + 1)) {
    await append(lost, state, kind, { first: firstSeq, last: lastSeq, bytes, digests: [] });
    kind = 'frame';
  }
  if (kind === 'frame') await append(lost, state, 'resign', NO_RECORDS);
  const { position, head, seq, epoch, owner } = state;
  return { position, hash: head, seq, epoch, owner };
}

async function readAll({ log, identity, dataFolder, from, waitMs = WAIT_MS }: Lost): Promise<ReaderState> {
  const state = startReader(from);
  const known = new KnownFrames(dataFolder, from.seq + 1);
  for (let ends = 0; ends < ENDS;) {
    const result = await log.read(state.next);
    if (result.type === 'gap') throw new LogRefusal('log_gap', `positions ${state.next} to ${result.next - 1} are not in the log`);
    if (result.type === 'notYet') {
      ends++;
      await sleep(waitMs);
      continue;
    }
    ends = 0;
    const message = decodeMessage(result.bytes, identity);
    const verdict = judge(state, message);
    if (typeof verdict === 'object') throw new LogRefusal('log_lost', `${verdict.name}: ${verdict.detail}`);
    if (verdict !== 'accepted' || message!.first === 0) continue;
    const { first, last, bytes } = message!;
    const isSame = known.holdsNext(first, last, bytes);
    if (!isSame) throw new LogRefusal('log_lost', `this journal does not hold seq ${first} to ${last} as the log does`);
  }
  known.close();
  return state;
}

/** Sent until it is there: an append without an answer may have landed. */
async function append({ log, identity, me, waitMs = WAIT_MS }: Lost, state: ReaderState, kind: Kind, frame: Frame): Promise<void> {
  const epoch = kind === 'lead' ? state.epoch + 1 : state.epoch;
  const content = { ...me, ...frame, kind, epoch, prev: state.head, behaviour: BEHAVIOUR, codec: CODEC };
  const message: Message = { ...content, hash: hashOf(content), at: state.next };
  const bytes = encodeMessage(message, identity);
  for (let tries = 0; tries < TRIES; tries++, await sleep(waitMs)) {
    const result = await log.append(bytes, message.at - 1);
    const found = result.type === 'accepted' ? null : await log.read(message.at);
    const isThere = found === null || (found.type === 'message' && Buffer.compare(found.bytes, bytes) === 0);
    if (isThere && judge(state, message) === 'accepted') return;
    if (result.type === 'refused') throw new LogRefusal('log_lost', `somebody else writes position ${message.at}: stop all nodes`);
  }
  throw new LogRefusal('log_unreachable', `position ${message.at} could not be written`);
}
