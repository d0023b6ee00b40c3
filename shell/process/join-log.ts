// Before a node of a cluster starts: which log it follows, whose venue that is, and from where it is read. `--new-log` makes one.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { journalHead } from '../storage/journal/read.ts';
import { adoptVenue, readVenue, venueId } from '../storage/journal/venue-identity.ts';
import { appendLost } from '../storage/replication/append-lost.ts';
import { JetStreamLog, tryBrokers, type BrokerConnection } from '../storage/replication/jetstream.ts';
import { findStream, inspectStream, LogRefusal, makeStream, type StreamName } from '../storage/replication/jetstream-stream.ts';
import { decodeMessage, firstPrev } from '../storage/replication/message.ts';
import type { ResumePoint } from '../storage/replication/reader-rule.ts';
import { readResume, writeResume } from '../storage/replication/resume-file.ts';
import { steady } from './clock.ts';
import { log } from './observability/log.ts';
import { brokerOptions, readPrivate } from './broker-options.ts';
import type { ClusterConfig } from './cluster-settings.ts';
import { StartRefusal } from './start-refusal.ts';

const KEY = /^[0-9a-f]{64,}$/;
const INCARNATION_BYTES = 8;
const INSTANCE_BYTES = 8;

/** Brokers may start after the nodes: for as long, and as often, they are asked. */
const REACH_MS = 60_000;
const REACH_EVERY_MS = 500;
const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

export type JoinedLog = {
  readonly name: StreamName; readonly from: ResumePoint;
  readonly firstPosition: number; readonly lastPosition: number; readonly heard: number;
};

/** Throws StartRefusal; another error if the brokers cannot be reached. The folder is locked. */
export async function joinLog(dataFolder: string, cluster: ClusterConfig): Promise<JoinedLog> {
  const key = clusterKey(cluster.keyFile);
  const options = brokerOptions(cluster);
  if (cluster.isNew && readResume(dataFolder) !== null) throw new StartRefusal('--new-log: this folder follows a log already');
  /** The same at each attempt: one that was not answered may have made it. */
  const incarnation = randomBytes(INCARNATION_BYTES).toString('hex');
  for (const since = steady(); ; await sleep(REACH_EVERY_MS)) {
    try {
      return await join();
    } catch (error) {
      if (error instanceof StartRefusal) throw error;
      const text = `--replicate: ${error instanceof Error ? error.message : String(error)}`;
      if (!isUnreachable(error)) throw new StartRefusal(text);
      if (steady() - since >= REACH_MS) throw new Error(`${text}; the brokers could not be reached for ${REACH_MS / 1_000} s`);
    }
  }

  async function join(): Promise<JoinedLog> {
    const connection = await tryBrokers(options);
    try {
      const name = cluster.isNew ? await newLog(connection) : await findStream(connection, known());
      const { point = null, heard = 0 } = cluster.appendsLost ? {} : readResume(dataFolder) ?? {};
      const accepted = { position: point?.position ?? 0, heard };
      const { firstPosition, lastPosition } = await inspectStream(connection, name, accepted, cluster.logReplicas);
      adoptVenue(dataFolder, name.venue);
      const stream = new JetStreamLog(connection, name);
      const from = point ?? await firstPoint(stream, { ...name, key, firstPosition, lastPosition });
      const lost = { log: stream, identity: { venue: name.venue, key }, dataFolder, from };
      const end = cluster.appendsLost ? await appendAgain(lost, cluster.node) : null;
      writeResume(dataFolder, { incarnation: name.incarnation, point: end ?? point, heard });
      return { name, from: end ?? from, firstPosition, lastPosition: end?.position ?? lastPosition, heard };
    } finally {
      await connection.close();
    }
  }

  async function newLog(connection: BrokerConnection): Promise<StreamName> {
    const name = { venue: venueId(dataFolder), incarnation };
    await makeStream(connection, name, { bytes: cluster.logBytes, hours: cluster.logHours, replicas: cluster.logReplicas });
    return name;
  }

  function known(): Partial<StreamName> {
    const venue = readVenue(dataFolder)?.id;
    const incarnation = readResume(dataFolder)?.incarnation;
    return { ...(venue !== undefined && { venue }), ...(incarnation !== undefined && { incarnation }) };
  }

  /** The log begins where the journal of its first node was; another node needs a journal that reaches as far. */
  async function firstPoint(
    stream: JetStreamLog,
    { venue, key: secret, firstPosition, lastPosition }: {
      readonly venue: string; readonly key: Uint8Array; readonly firstPosition: number; readonly lastPosition: number;
    },
  ): Promise<ResumePoint> {
    const head = journalHead(dataFolder)?.seq ?? 0;
    const start: ResumePoint = { position: 0, hash: firstPrev(venue), seq: head, epoch: 0, owner: null };
    if (lastPosition === 0) return start;
    if (firstPosition > 1) throw new LogRefusal('log_gap', `it begins at position ${firstPosition}: start from a copy of a running node`);
    const first = await stream.read(1);
    // Brokers that have just been started answer who asks for the log before who reads it.
    if (first.type !== 'message') throw new LogRefusal('log_unreachable', 'its first message cannot be read yet');
    const message = decodeMessage(first.bytes, { venue, key: secret });
    if (message === null) throw new LogRefusal('log_missing', 'its first message cannot be read with this --cluster-key');
    const before = message.first - 1;
    if (head < before) throw new LogRefusal('log_missing', `it begins at seq ${message.first}: start from a copy of the venue up to there`);
    return { ...start, seq: before };
  }
}

async function appendAgain(lost: Omit<Parameters<typeof appendLost>[0], 'me'>, node: string): Promise<ResumePoint> {
  const end = await appendLost({ ...lost, me: { node, instance: randomBytes(INSTANCE_BYTES).toString('hex') } });
  log('warn', 'log', `the log has everything up to seq ${end.seq} of this journal`);
  return end;
}

/** Refuses a node of a cluster to start alone: its history would differ from the log's. */
export function refuseAlone(dataFolder: string): void {
  if (readResume(dataFolder) === null) return;
  const leave = 'or remove journal/log.json if it shall leave the cluster';
  throw new StartRefusal(`${dataFolder} is of a node of a cluster: start with --replicate, ${leave}`);
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof LogRefusal) return error.reason === 'log_unreachable';
  const { cause } = error as Error;
  return [error, cause].some((each) => each instanceof Error && 'code' in each && NETWORK.has(String(each.code)));
}

export function clusterKey(path: string): Uint8Array {
  const text = readPrivate('cluster-key', path).trim();
  if (!KEY.test(text)) throw new StartRefusal(`--cluster-key: ${path} must hold at least 64 hex digits, as from "openssl rand -hex 32"`);
  return Buffer.from(text, 'hex');
}
