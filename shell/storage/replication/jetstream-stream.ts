// The stream that holds a replicated log: how it is made (by `--new-log` only), found and checked. Its name has the venue's id and a random
// part and is never used again, because a broker that missed a deletion would come back with other first messages.

import type { NatsConnection } from '@nats-io/transport-node';
import { MESSAGE_RECORD_BYTES } from './message.ts';

export type StreamName = { readonly venue: string; /** 16 hex digits. */ readonly incarnation: string };

type StreamState = { readonly firstPosition: number; readonly lastPosition: number };

export class LogRefusal extends Error {
  override readonly name = 'LogRefusal';
  readonly reason:
    | 'log_missing' | 'log_of_other_venue' | 'log_ambiguous' | 'log_weak' | 'log_lost' | 'log_exists' | 'log_gap' | 'log_denied'
    | 'log_unreachable';

  constructor(reason: LogRefusal['reason'], text: string) {
    super(`${reason}: ${text}`);
    this.reason = reason;
  }
}

type Config = Readonly<Record<string, unknown>>;
type ApiError = { readonly code: number; readonly err_code?: number; readonly description: string };
export type ApiAnswer = { readonly error?: ApiError } & Readonly<Record<string, unknown>>;

export const API_TIMEOUT_MS = 2_000;
const PREFIX = 'STRIKEBOOK';
const MESSAGE_BYTES = MESSAGE_RECORD_BYTES + 8_192;
/** Copies of the log, each on the disk of another broker. */
const REPLICAS = 3;
const HOUR_NS = 3_600_000_000_000;
/** Brokers that have just been started know neither their leader nor each other. */
const UNAVAILABLE = 503;
const NO_PEERS = 10_005;

export function streamName({ venue, incarnation }: StreamName): string {
  return `${PREFIX}_${venue}_${incarnation}`;
}

export function logSubject({ venue, incarnation }: StreamName): string {
  return `strikebook.${venue}.${incarnation}.log`;
}

export function heartbeatSubject({ venue, incarnation }: StreamName): string {
  return `strikebook.${venue}.${incarnation}.beat`;
}

export async function askApi(connection: NatsConnection, what: string, question: object = {}): Promise<ApiAnswer> {
  const answer = await ask(connection, what, question);
  const { error } = answer;
  const isTooEarly = error?.code === UNAVAILABLE || error?.err_code === NO_PEERS;
  if (isTooEarly) throw new LogRefusal('log_unreachable', `${what}: ${error.description}`);
  return answer;
}

async function ask(connection: NatsConnection, what: string, question: object): Promise<ApiAnswer> {
  try {
    const message = await connection.request(`$JS.API.${what}`, JSON.stringify(question), { timeout: API_TIMEOUT_MS });
    return message.json<ApiAnswer>();
  } catch (error) {
    const { message } = error as Error;
    throw new LogRefusal(/permissions violation/i.test(message) ? 'log_denied' : 'log_unreachable', `${what}: ${message}`);
  }
}

function configOf(name: StreamName, replicas: number): Config {
  return {
    name: streamName(name), subjects: [logSubject(name)], retention: 'limits', storage: 'file', num_replicas: replicas, discard: 'new',
    deny_delete: true, deny_purge: true, allow_rollup_hdrs: false, max_consumers: -1, max_msgs_per_subject: -1, max_msg_size: MESSAGE_BYTES,
  };
}

/** On each broker; messages older than `hours` leave the log, 0: never. */
type LogSize = { readonly bytes: number; readonly hours?: number; readonly replicas?: number };

export async function makeStream(
  connection: NatsConnection, name: StreamName, { bytes, hours = 0, replicas = REPLICAS }: LogSize,
): Promise<void> {
  const wanted = { ...configOf(name, replicas), max_bytes: bytes, max_age: hours * HOUR_NS };
  const answer = await askApi(connection, `STREAM.CREATE.${streamName(name)}`, wanted);
  if (answer.error !== undefined) throw new LogRefusal('log_exists', `the stream cannot be made: ${answer.error.description}`);
  checkStream(answer['config'] as Config, configOf(name, replicas));
}

/** The only log in the brokers' account, or the one that this node has followed before. */
export async function findStream(connection: NatsConnection, known: Partial<StreamName>): Promise<StreamName> {
  const answer = await askApi(connection, 'STREAM.NAMES');
  const names = (answer['streams'] ?? []) as string[];
  const found = names.flatMap((name) => {
    const [, venue, incarnation] = new RegExp(`^${PREFIX}_([0-9a-f]{16})_([0-9a-f]{16})$`).exec(name) ?? [];
    return venue === undefined || incarnation === undefined ? [] : [{ venue, incarnation }];
  });
  const [own, ...others] = found.filter(({ venue, incarnation }) => (
    venue === (known.venue ?? venue) && incarnation === (known.incarnation ?? incarnation)
  ));
  if (own !== undefined && others.length === 0) return own;
  if (own !== undefined) throw new LogRefusal('log_ambiguous', `the brokers hold ${others.length + 1} logs of venue ${own.venue}`);
  const other = found[0];
  if (other === undefined) throw new LogRefusal('log_missing', 'the brokers hold no log; --new-log makes one');
  if (known.venue !== undefined && other.venue !== known.venue) {
    throw new LogRefusal('log_of_other_venue', `the brokers hold the log of venue ${other.venue}, this folder is of venue ${known.venue}`);
  }
  throw new LogRefusal('log_missing', `the brokers hold log ${other.incarnation}, this node has followed ${known.incarnation}`);
}

/** The newest positions that a node, and another that it has heard, have accepted. */
type Known = { readonly position: number; readonly heard: number };

/** Throws LogRefusal if the stream could lose what it has acknowledged, has lost it, or does not hold what follows `position`. */
export async function inspectStream(
  connection: NatsConnection, name: StreamName, { position, heard }: Known, replicas = REPLICAS,
): Promise<StreamState> {
  const answer = await askApi(connection, `STREAM.INFO.${streamName(name)}`);
  if (answer.error !== undefined) throw new LogRefusal('log_missing', answer.error.description);
  checkStream(answer['config'] as Config, configOf(name, replicas));
  const state = answer['state'] as { first_seq: number; last_seq: number };
  if (state.last_seq < Math.max(position, heard)) {
    const [who, accepted] = heard > position ? ['another', heard] : ['this', position];
    throw new LogRefusal('log_lost', `the log ends at position ${state.last_seq}, ${who} node has accepted position ${accepted}`);
  }
  if (position > 0 && state.first_seq > position + 1) {
    const gap = `it begins at position ${state.first_seq}, this folder follows it up to position ${position}`;
    throw new LogRefusal('log_gap', `${gap}: start from a newer copy of a running node`);
  }
  return { firstPosition: state.first_seq, lastPosition: state.last_seq };
}

function checkStream(config: Config, must: Config): void {
  const age = Number(config['max_age'] ?? 0);
  if (age > 0 && age < HOUR_NS) throw new LogRefusal('log_weak', `the stream has max_age ${age}, it must have 0 or an hour at least`);
  for (const [key, wanted] of Object.entries(must)) {
    const is = config[key] ?? false;
    if (JSON.stringify(is) !== JSON.stringify(wanted)) {
      throw new LogRefusal('log_weak', `the stream has ${key} ${JSON.stringify(is)}, it must have ${JSON.stringify(wanted)}`);
    }
  }
}
