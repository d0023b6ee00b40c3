// The replicated log in NATS JetStream: one stream, positions are its sequence numbers. It only publishes and reads, so a broker's user
// needs no more. Messages carry no ids: a broker would acknowledge other bytes under the same id.

import type { Msg, NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import type { AppendResult, ReadResult, ReplicatedLog } from './port.ts';
import { API_TIMEOUT_MS, heartbeatSubject, logSubject, streamName, type ApiAnswer, type StreamName } from './jetstream-stream.ts';

const APPEND_TIMEOUT_MS = 2_000;
const RECONNECT_MS = 250;
/** A broker whose machine is gone, or stands still, closes no connection: it is left after two pings without an answer. */
const PING_MS = 1_000;
const PINGS = 2;
const CONNECT_TIMEOUT_MS = 2_000;
/** A doorbell rings before the message is stored: news are told again after these. */
const NEWS_AGAIN_MS = [3, 20];
const WRONG_LAST_SEQUENCE = 10_071;
const NO_ROOM: ReadonlySet<number> = new Set([10_023, 10_047, 10_077]);
const NOT_FOUND = 404;

type Ack = ApiAnswer & { readonly seq?: number; readonly stream?: string; readonly duplicate?: boolean };

export type BrokerOptions = NodeConnectionOptions;
export type BrokerConnection = NatsConnection;

type Nats = typeof import('@nats-io/transport-node');
let nats: Nats | null = null;

/** Only a venue with brokers loads it: it takes a tenth of a start. */
async function client(): Promise<Nats> {
  return nats ??= await import('@nats-io/transport-node');
}

/** Goes on trying for as long as the process runs, from the first time on. */
export async function connectBrokers(options: BrokerOptions): Promise<BrokerConnection> {
  return (await client()).connect({
    ...options, maxReconnectAttempts: -1, reconnectTimeWait: RECONNECT_MS, ignoreAuthErrorAbort: true, timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_MS, maxPingOut: PINGS, waitOnFirstConnect: true,
  });
}

/** Tries each broker once. With more attempts, the client would not tell that a broker refuses its certificate. */
export async function tryBrokers(options: BrokerOptions): Promise<BrokerConnection> {
  return (await client()).connect({ ...options, reconnect: false });
}

export class JetStreamLog implements ReplicatedLog {
  readonly #connection: NatsConnection;
  readonly #name: StreamName;

  constructor(connection: NatsConnection, name: StreamName) {
    this.#connection = connection;
    this.#name = name;
  }

  async append(frame: Uint8Array, expected: number): Promise<AppendResult> {
    const options = (nats ?? await client()).headers();
    options.set('Nats-Expected-Stream', streamName(this.#name));
    options.set('Nats-Expected-Last-Sequence', `${expected}`);
    try {
      const answer = await this.#connection.request(logSubject(this.#name), frame, { timeout: APPEND_TIMEOUT_MS, headers: options });
      return appendResult(answer.json<Ack>());
    } catch {
      // The message may be in the log, or come into it when the connection is back.
      return { type: 'unknown' };
    }
  }

  async read(position: number): Promise<ReadResult> {
    const question = JSON.stringify({ seq: position, next_by_subj: logSubject(this.#name) });
    try {
      const what = `$JS.API.STREAM.MSG.GET.${streamName(this.#name)}`;
      const answer = await this.#connection.request(what, question, { timeout: API_TIMEOUT_MS });
      return readResult(answer.json<ApiAnswer>(), position);
    } catch {
      return { type: 'notYet' };
    }
  }

  onNews(listener: () => void): void {
    this.#connection.subscribe(logSubject(this.#name), {
      callback: () => {
        listener();
        for (const ms of NEWS_AGAIN_MS) setTimeout(listener, ms).unref();
      },
    });
  }

  say(heartbeat: Uint8Array): void {
    if (!this.#connection.isClosed()) this.#connection.publish(heartbeatSubject(this.#name), heartbeat);
  }

  onHeartbeat(listener: (heartbeat: Uint8Array) => void): void {
    this.#connection.subscribe(heartbeatSubject(this.#name), { callback: (_: Error | null, { data }: Msg) => listener(data) });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

// for tests: answers that no broker gives on demand
export function appendResult({ error, seq, duplicate }: Ack): AppendResult {
  if (error === undefined) return seq === undefined || duplicate === true ? { type: 'unknown' } : { type: 'accepted', position: seq };
  if (error.err_code === WRONG_LAST_SEQUENCE) {
    const [, last] = /wrong last sequence: (\d+)/.exec(error.description) ?? [];
    return last === undefined ? { type: 'unknown' } : { type: 'refused', last: Number(last) };
  }
  return NO_ROOM.has(error.err_code ?? 0) ? { type: 'full' } : { type: 'unknown' };
}

function readResult(answer: ApiAnswer, position: number): ReadResult {
  const message = answer['message'] as { seq: number; data?: string } | undefined;
  if (message === undefined || answer.error?.code === NOT_FOUND) return { type: 'notYet' };
  if (message.seq < position) return { type: 'notYet' };
  if (message.seq > position) return { type: 'gap', next: message.seq };
  return { type: 'message', bytes: Buffer.from(message.data ?? '', 'base64') };
}
