// Before a node of a cluster starts: which log it follows, whose venue that is, and from where it is read. `--new-log` makes one.

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { journalHead } from '../storage/journal/read.ts';
import { adoptVenue, readVenue, venueId } from '../storage/journal/venue-identity.ts';
import { connectBrokers, JetStreamLog } from '../storage/replication/jetstream.ts';
import { findStream, inspectStream, LogRefusal, makeStream, type StreamName } from '../storage/replication/jetstream-stream.ts';
import { decodeMessage, firstPrev } from '../storage/replication/message.ts';
import type { ResumePoint } from '../storage/replication/reader-rule.ts';
import { readResume, writeResume } from '../storage/replication/resume-file.ts';
import type { ClusterConfig } from './cluster-settings.ts';
import { StartRefusal } from './start-refusal.ts';

const KEY = /^[0-9a-f]{64,}$/;
const INCARNATION_BYTES = 8;

export type JoinedLog = { readonly name: StreamName; readonly from: ResumePoint };

export async function joinLog(dataFolder: string, cluster: ClusterConfig): Promise<JoinedLog> {
  const key = clusterKey(cluster.keyFile);
  try {
    const connection = await connectBrokers(brokerOptions(cluster));
    try {
      const name = cluster.isNew ? await newLog() : await findStream(connection, known());
      const point = readResume(dataFolder)?.point ?? null;
      const { lastPosition } = await inspectStream(connection, name, point?.position ?? 0);
      adoptVenue(dataFolder, name.venue);
      const from = point ?? await firstPoint(new JetStreamLog(connection, name), { ...name, key, lastPosition });
      writeResume(dataFolder, { incarnation: name.incarnation, point });
      return { name, from };
    } finally {
      await connection.close();
    }

    async function newLog(): Promise<StreamName> {
      if (readResume(dataFolder) !== null) throw new StartRefusal('--new-log: this folder follows a log already');
      const name = { venue: venueId(dataFolder), incarnation: randomBytes(INCARNATION_BYTES).toString('hex') };
      await makeStream(connection, name, cluster.logBytes);
      return name;
    }
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw new StartRefusal(`--replicate: ${error instanceof Error ? error.message : String(error)}`);
  }

  function known(): Partial<StreamName> {
    const venue = readVenue(dataFolder)?.id;
    const incarnation = readResume(dataFolder)?.incarnation;
    return { ...(venue !== undefined && { venue }), ...(incarnation !== undefined && { incarnation }) };
  }

  /** The log begins where the journal of its first node was; another node needs a journal that reaches as far. */
  async function firstPoint(
    log: JetStreamLog, { venue, key: secret, lastPosition }: { venue: string; key: Uint8Array; lastPosition: number },
  ): Promise<ResumePoint> {
    const head = journalHead(dataFolder)?.seq ?? 0;
    const start: ResumePoint = { position: 0, hash: firstPrev(venue), seq: head, epoch: 0, owner: null };
    if (lastPosition === 0) return start;
    const first = await log.read(1);
    const message = first.type === 'message' ? decodeMessage(first.bytes, { venue, key: secret }) : null;
    if (message === null) throw new LogRefusal('log_missing', 'its first message cannot be read with this --cluster-key');
    const before = message.first - 1;
    if (head < before) throw new LogRefusal('log_missing', `it begins at seq ${message.first}: start from a copy of the venue up to there`);
    return { ...start, seq: before };
  }
}

export function clusterKey(path: string): Uint8Array {
  let text = '';
  try {
    if ((fs.statSync(path).mode & 0o077) !== 0) throw new StartRefusal(`--cluster-key: others can read ${path}: chmod 600`);
    text = fs.readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (error instanceof StartRefusal) throw error;
    throw new StartRefusal(`--cluster-key: ${(error as Error).message}`);
  }
  if (!KEY.test(text)) throw new StartRefusal(`--cluster-key: ${path} must hold at least 64 hex digits, as from "openssl rand -hex 32"`);
  return Buffer.from(text, 'hex');
}

/** User, pass, token, tls. */
export function brokerOptions({ servers, optionsFile }: ClusterConfig): object {
  const more = optionsFile === null ? {} : JSON.parse(fs.readFileSync(optionsFile, 'utf8')) as object;
  return { ...more, servers: [...servers] };
}
