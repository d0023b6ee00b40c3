// A venue's socket under a test's control: it sends what the test wants, speaks the part of the interface that a subscription or an order
// needs, and keeps what it received.

import type { TestContext } from 'node:test';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { VenueSocket, type SocketOptions } from '../../client/src/socket.ts';
import type { Gap } from '../../client/src/subscriptions.ts';
import type { Account } from '../../client/src/trading.ts';

export const WALLET = `0x${'ab'.repeat(20)}`;
export const ONE = 'BTC-20260131-100000-C';
export const TWO = 'BTC-20260131-100000-P';
export const NEVER = 'BTC-20990101-1-C';

export type Frame = { type: string; channel?: string; symbols?: string[]; id?: any; from_seq?: number; min_seq?: number };

/** Answers subscriptions, refuses those to `unknown`, and is silent while `isDeaf`. */
class ScriptedVenue {
  readonly server = createServer();
  readonly got: Frame[] = [];
  readonly queries: string[] = [];
  clients: WebSocket[] = [];
  id = 'aaaaaaaaaaaaaaaa';
  isDeaf = false;
  isRefusing = false;
  unknown = NEVER;
  /** Sent after each Subscribed. */
  snapshot: (frame: Frame) => object[] = () => [];
  /** Told by the Subscribed of a channel that begins anew. */
  readonly seqs = new Map<string, number>();
  /** What comes after a number below is no longer kept. */
  oldest = 0;
  /** What comes after a number above is not there yet. */
  newest = Infinity;
  /** Said instead of an answer to what it is for: a refusal of the whole message. */
  refusal: (frame: Frame) => string | null = () => null;
  /** What is said to what has an id. */
  answer: (frame: Frame) => object[] = () => [];

  async open(): Promise<string> {
    const sockets = new WebSocketServer({ noServer: true });
    this.server.on('upgrade', (request, socket, head) => {
      this.queries.push(request.url!);
      if (this.isRefusing) return void socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      sockets.handleUpgrade(request, socket, head, (client) => {
        this.clients.push(client);
        const connection = String(this.clients.length).padStart(16, '0');
        client.send(JSON.stringify({ type: 'Hello', connection, venue_id: this.id }));
        client.on('message', (data: Buffer) => this.#answer(client, JSON.parse(data.toString()) as Frame));
      });
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  send(...messages: object[]): void {
    for (const message of messages) this.clients.at(-1)!.send(JSON.stringify(message));
  }

  #answer(client: WebSocket, frame: Frame): void {
    if (this.isDeaf) return void this.got.push(frame);
    const say = (message: object): void => client.send(JSON.stringify(message));
    if (typeof frame.id === 'number') {
      this.got.push(frame);
      return this.answer(frame).forEach(say);
    }
    const { id, ...asked } = frame;
    this.got.push(asked);
    const refuse = (message: string): void => say({ type: 'Error', code: codeOf(message), message, id });
    const refusal = this.refusal(frame);
    if (refusal !== null) return refuse(refusal);
    if (frame.type === 'Subscribe' && frame.symbols?.includes(this.unknown)) {
      refuse(`Unknown symbol or wallet: ${this.unknown}`);
      if (frame.symbols.length > 1) say({ type: 'Subscribed', channel: frame.channel, id });
      return;
    }
    if (frame.from_seq !== undefined && frame.from_seq + 1 < this.oldest) {
      return refuse(`Cannot resume ${frame.channel} from seq ${frame.from_seq}: oldest kept is ${this.oldest}`);
    }
    if (frame.from_seq !== undefined && frame.from_seq > this.newest) {
      return refuse(`Cannot resume ${frame.channel} from seq ${frame.from_seq}: newest is ${this.newest}`);
    }
    // A portfolio begins with what stands, whatever was asked for.
    const seq = (frame.channel === 'portfolio' ? undefined : frame.from_seq) ?? this.seqs.get(frame.channel!);
    say({ type: `${frame.type}d`, channel: frame.channel, ...(seq !== undefined && { seq }), id });
    for (const message of frame.type === 'Subscribe' ? this.snapshot(frame) : []) say(message);
  }

  close(): void {
    for (const client of this.clients) client.terminate();
    this.server.close();
  }
}

/** The code that the venue has for a text. */
function codeOf(message: string): string {
  const [, code] = CODES.find(([begins]) => message.startsWith(begins)) ?? [];
  return code ?? 'invalid_parameter';
}

const CODES: readonly (readonly [begins: string, code: string])[] = [
  ['Rate limit exceeded: ', 'rate_limit_exceeded'], ['The service is ', 'not_ready'], ['Internal error', 'internal_error'],
  ['Client not found', 'internal_error'], ['Too many ', 'engine_busy'], ['Margin data unavailable', 'margin_unavailable'],
  ['Unknown symbol', 'not_found'], ['This node has not reached ', 'behind'],
];

type Scene = { venue: ScriptedVenue; socket: VenueSocket; gaps: Gap[]; ups: boolean[]; errors: unknown[] };

export async function scriptedVenue(t: TestContext, options: SocketOptions = {}, account: Account | null = null): Promise<Scene> {
  const venue = new ScriptedVenue();
  const url = await venue.open();
  const [gaps, ups, errors]: [Gap[], boolean[], unknown[]] = [[], [], []];
  const socket = new VenueSocket(url, {
    wallet: WALLET.toUpperCase().replace('0X', '0x'), firstWaitMs: 5, onGap: (gap) => gaps.push(gap), onUp: (isAgain) => ups.push(isAgain),
    onError: (error) => errors.push(error), ...options,
  }, account);
  t.after(() => {
    socket.close();
    venue.close();
  });
  return { venue, socket, gaps, ups, errors };
}
