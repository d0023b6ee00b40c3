// A whole venue in one thread, for tests of the api thread: a real server on a loopback port, the real rings, doorbells and core.
// Stand-ins replace the other threads: main takes commands as the engine loop does, "durable" moves at once or when the test says so, and
// a small reader knows results and done orders from the core's events. Time moves only when a test moves it.

import {
  ACCOUNT, NONCE_TAKEN, ORDER_ACCEPTED, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_SIDE,
  ORDER_SIZE, ORDER_TIF, TAKEN_DIGEST, TAKEN_NONCE, TAKEN_NUMBERS,
} from '../../../core/codec/events.ts';
import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { FLAG_MMP_TRIGGERED, REPLY_WITH_IMAGE_BYTES } from '../../../core/codec/reply.ts';
import { alignUp, recordKind } from '../../../core/codec/record.ts';
import { DONE_FILLED } from '../../../core/errors.ts';
import { ACTIVE, instrumentCount } from '../../../core/instruments/instruments.ts';
import { formatSymbol } from '../../../core/instruments/symbol.ts';
import { takeCommand, type OutPort } from '../../../core/sequencer/sequencer.ts';
import { loadBackend } from '../../../shell/api/auth/recover-signer.ts';
import { toHex } from '../../../shell/http/hex.ts';
import { createService } from '../../../shell/process/threads/service.ts';
import type { ControlRequest } from '../../../shell/api/control.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { openEdge, type Edge } from '../../../shell/http/server/edge.ts';
import type { Bounds } from '../../../shell/http/limits.ts';
import type { Source } from '../../../shell/http/source.ts';
import {
  ANSWER, ANSWER_HEAD_BYTES, LARGE, QUERIES, QUERY_HEAD_BYTES, STREAM, type Large, type OrderFacts, type OrderStanding,
} from '../../../shell/ipc/queries.ts';
import { rulesOf } from '../../../shell/process/market.ts';
import type { ClockStatus, MarketStatus } from '../../../shell/ipc/status.ts';
import { marketStatus } from '../../../shell/reader/market/status.ts';
import { SharedValue } from '../../../shell/ipc/shared-value.ts';
import { activeAgentsText } from '../../../shell/reader/account/settings.ts';
import { CONNECTION_CLOSED } from '../../../shell/ipc/command-ring.ts';
import { createWiring } from '../../../shell/process/wiring.ts';
import { runConsumer } from '../../../shell/ipc/consumer-loop.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import { Doorbell, Ringer } from '../../../shell/ipc/doorbell.ts';
import { TIFS } from '../../../shell/ipc/enum-names.ts';
import { ringConsumer, ringProducer, type RingProducer } from '../../../shell/ipc/ring.ts';
import { standingText } from '../../support/api.ts';
import { TestVenue } from '../../support/venue.ts';

export const TOKEN = 'a-token-of-the-tests';
const LOOPBACK = { network: '127.0.0.1', digest: 1, loopback: true };

export type Options = {
  readonly flags?: readonly string[];
  readonly table?: Config['table'];
  readonly bounds?: Partial<Bounds>;
  readonly source?: Source;
  readonly trustProxy?: boolean;
};

type Answered = { status: number; headers: Record<string, string>; body: any };
type Done = { facts: OrderFacts; reason: number };
/** `charge`: the budget a route's read is charged to; 0 when the api thread asks for itself. */
type Asked = { kind: string; request: number; charge: number; parameters: Record<string, any> };

function configOf(options: Options): Config {
  const flags = ['--feed', 'manual', '--rate-limits', 'off', '--admin-token', TOKEN, '--signature-backend', 'auto', ...options.flags ?? []];
  const config = readConfig(flags, {});
  if ('help' in config) throw new Error('no config');
  return options.table === undefined ? config : { ...config, table: options.table };
}

export class Harness {
  readonly config: Config;
  readonly core: TestVenue;
  /** The checks of signatures, to be looked at. */
  readonly backend = { ...loadBackend() };
  readonly service: ReturnType<typeof createService>;
  readonly edge: Edge;
  readonly faults: { place: string; error: unknown }[] = [];
  readonly posted: ControlRequest[] = [];
  /** Queries the stand-in reader has seen. */
  readonly asked: Asked[] = [];
  /** Answers of the test's own for a query, by its name. */
  readonly answers = new Map<string, (asked: Asked) => { status: number; body: string } | 'later' | 'large'>();
  readonly done = new Map<number, Done>();
  /** Order ids the reader has forgotten. */
  readonly forgotten = new Map<number, string>();
  /** While set, what main sequences is not durable. */
  isStalled = false;
  /** While set, main takes no command. */
  isMainStuck = false;
  readonly #counters;
  readonly #replies: RingProducer;
  readonly #answerRing: RingProducer;
  readonly #ringApi: Ringer;
  readonly #wiring;
  readonly #outcomes = new Map<string, object>();
  readonly #consumers: { wake: () => void; stop: () => void }[] = [];

  constructor(options: Options = {}) {
    this.config = configOf(options);
    const wiring = createWiring(1);
    this.#wiring = wiring;
    const api = wiring.apis[0]!;
    this.#counters = new SharedCounters(wiring.counters);
    this.core = new TestVenue({ rules: rulesOf(this.config) }).open();
    this.core.events = [];
    this.service = createService({
      wiring: api, counters: this.#counters, measures: wiring.measures, backend: this.backend,
      settings: { config: this.config, venue: '00', token: TOKEN },
      now: () => this.core.now, steady: () => this.core.now, post: (message) => this.posted.push(message),
      fault: (place, error) => this.faults.push({ place, error }),
    });
    this.edge = openEdge({
      host: '127.0.0.1', port: 0, trustProxy: options.trustProxy ?? false, cors: '*', sockets: this.service.endpoint,
      furtherSockets: this.service.furtherEndpoints,
      route: (request, responder) => this.service.route({ ...request, source: options.source ?? request.source }, responder),
      onFault: (place, error) => this.faults.push({ place, error }), ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
    });
    this.#replies = ringProducer(wiring.main.replies[0]!);
    this.#answerRing = ringProducer(wiring.reader.answers[0]!);
    this.#ringApi = new Ringer(wiring.main.ringApis[0]!);
    this.#start();
    new SharedValue<MarketStatus>(wiring.measures.statuses.reader).publish(marketStatus(this.core.state, 0, this.core.now));
    new SharedValue<ClockStatus>(wiring.measures.statuses.main).publish({ state: 'running', last: 0, wall: 0 });
    this.service.setUnderlyings(['BTC', 'ETH']);
    this.setReady(true);
    this.makeDurable();
  }

  #start(): void {
    const { main, reader, apis } = this.#wiring;
    const commands = ringConsumer(main.commands[0]!, 0);
    const replies = this.#replies;
    const port: OutPort = {
      views: replies.views, hasRoom: () => replies.room() >= REPLY_WITH_IMAGE_BYTES, claim: (bytes) => replies.claim(bytes),
      commit: () => replies.publish(),
    };
    const takeCommands = () => {
      const at = this.isMainStuck ? -1 : commands.peek();
      if (at < 0) return 0;
      const isNote = recordKind(commands.views, at) <= CONNECTION_CLOSED;
      if (!isNote && !takeCommand(this.core.sequencer, commands.views, at, this.core.now, port, commands)) return 0;
      commands.advance();
      commands.release();
      this.#learn();
      if (!this.isStalled) this.makeDurable();
      return 1;
    };
    const queries = ringConsumer(reader.queries[0]!, 0);
    const takeQueries = () => {
      const at = queries.next();
      if (at < 0) return 0;
      const { u8, u32 } = queries.views;
      const word = at >>> 2;
      const json = Buffer.from(u8.slice(at + QUERY_HEAD_BYTES, at + QUERY_HEAD_BYTES + u32[word + 3]!)).toString('utf8');
      const parameters = JSON.parse(json) as Record<string, any>;
      const asked = { kind: QUERIES[u32[word + 1]!]!, request: u32[word + 2]!, charge: u32[word + 5]!, parameters };
      queries.release();
      this.asked.push(asked);
      this.#answerQuery(asked);
      return 1;
    };
    this.#consumers.push(
      runConsumer({ doorbell: new Doorbell(main.doorbell), drain: takeCommands }),
      runConsumer({ doorbell: new Doorbell(reader.doorbell), drain: takeQueries }),
      runConsumer({ doorbell: new Doorbell(apis[0]!.doorbell), drain: this.service.drain }),
    );
  }

  /** Main goes on after it was stuck. */
  unstick(): void {
    this.isMainStuck = false;
    this.#consumers[0]!.wake();
  }

  setReady(isReady: boolean): void {
    this.#counters.counter('mainReady').store(isReady ? 1 : 0);
    this.#counters.counter('readerReady').store(isReady ? 1 : 0);
  }

  /** All that was sequenced is on disk: replies may be told. */
  makeDurable(): void {
    this.#counters.counter('durable').store(this.core.seq());
    this.#ringApi.ring();
  }

  /** Takes what the core said of the last command into the reader's memory. */
  #learn(): void {
    const { state } = this.core;
    let flags = 0;
    for (const { kind, slots } of this.core.events.splice(0)) {
      if (kind === ORDER_ACCEPTED) flags = slots[ORDER_REASON]!;
      else if (kind === ORDER_DONE) {
        const facts = this.#factsOf(slots);
        this.done.set(facts.order_id, { facts, reason: slots[ORDER_REASON]! });
      } else if (kind === NONCE_TAKEN && slots[ACCOUNT]! >= 0) {
        const address = new Uint8Array(state.accounts.address.slice(slots[ACCOUNT]! * 5, slots[ACCOUNT]! * 5 + 5).buffer);
        const nonce = (BigInt(slots[TAKEN_NONCE + 1]!) << 32n) | BigInt(slots[TAKEN_NONCE]!);
        const words = Uint32Array.from(slots.subarray(TAKEN_DIGEST, TAKEN_DIGEST + 8));
        const numbers = Array.from(slots.subarray(TAKEN_NUMBERS, TAKEN_NUMBERS + 4));
        this.#outcomes.set(`${toHex(address)} ${nonce}`, {
          digest: Buffer.from(words.buffer).toString('hex'), numbers,
          time: this.core.now, order: this.done.get(numbers[0]!)?.facts ?? null, flags,
          isMmpTriggered: (state.result.flags & FLAG_MMP_TRIGGERED) !== 0,
        });
      }
    }
  }

  #factsOf(slots: Float64Array): OrderFacts {
    const { instruments } = this.core.state;
    const filled = slots[ORDER_FILLED]!;
    return {
      order_id: slots[ORDER_ID]!, symbol: this.symbolAt(slots[ORDER_INSTRUMENT]!), side: slots[ORDER_SIDE] === 0 ? 'Buy' : 'Sell',
      price: formatDecimal(slots[ORDER_PRICE]!, DECIMALS), size: formatDecimal(slots[ORDER_SIZE]!, DECIMALS),
      filled_size: formatDecimal(filled, DECIMALS), tif: TIFS[slots[ORDER_TIF]!]!, client_id: '',
      created_at: instruments.listedAt[0]!, mmp_enabled: true, reduce_only: false,
    };
  }

  symbolAt(slot: number): string {
    const { instruments, underlyings } = this.core.state;
    const underlying = instruments.underlying[slot]!;
    return formatSymbol({
      underlyingLo: underlyings.name[underlying * 2]!, underlyingHi: underlyings.name[underlying * 2 + 1]!,
      expiry: instruments.expiry[slot]!, strike: instruments.strike[slot]!, kind: instruments.kind[slot]!,
    });
  }

  /** Symbols of calls on BTC that trade and live for a week at least, in the order of their slots. */
  calls(): string[] {
    const { instruments } = this.core.state;
    return Array.from({ length: instrumentCount(instruments) }, (_, slot) => slot)
      .filter((slot) => instruments.status[slot] === ACTIVE && instruments.underlying[slot] === 0 && instruments.kind[slot] === 1
        && instruments.strike[slot] === 100_000e6 && instruments.expiry[slot]! > this.core.now + 7 * 86_400_000)
      .map((slot) => this.symbolAt(slot));
  }

  #answerQuery(asked: Asked): void {
    const own = this.answers.get(asked.kind)?.(asked);
    if (own === 'later') return;
    if (own === 'large') return this.answerLarge(asked.request, JSON.stringify({ large: true }));
    const { status, body } = own ?? { status: 200, body: this.#known(asked) };
    this.answer(asked.request, status, body);
  }

  #known(asked: Asked): string {
    const { kind, parameters, charge } = asked;
    if (kind === 'agents' && charge === 0) return activeAgentsText(this.core.state, parameters.wallet, this.core.now);
    if (kind === 'subscribe') return standingText(topicOf(`${parameters.channel} ${parameters.key}`), null);
    return JSON.stringify(this.#recordOf(asked));
  }

  #recordOf({ kind, parameters }: Asked): unknown {
    if (kind === 'outcome') return this.#outcomes.get(`${parameters.wallet} ${parameters.nonce}`) ?? null;
    if (kind === 'order') return this.#standing(parameters);
    return { kind, parameters };
  }

  #standing({ order_id: id }: Record<string, any>): OrderStanding {
    const known = this.done.get(Number(id));
    const symbol = this.forgotten.get(Number(id));
    if (symbol !== undefined) return { state: 'forgotten', order: { ...known!.facts, symbol }, reason: null };
    if (known === undefined) return { state: 'unknown', order: null, reason: null };
    return { state: known.reason === DONE_FILLED ? 'filled' : 'cancelled', order: known.facts, reason: known.reason };
  }

  answer(request: number, status: number, body: string): void {
    this.#record(ANSWER, request, body, status);
  }

  answerLarge(request: number, body: string): void {
    const large: Large = { request, answer: { status: 200, body: new Uint8Array(Buffer.from(body)), budget: null, seq: 0 } };
    this.#wiring.reader.large[0]!.postMessage(large);
    this.#record(LARGE, request, '', 0);
  }

  stream(topic: number, message: object): void {
    this.#record(STREAM, topic, JSON.stringify(message), 0);
  }

  #record(kind: number, number: number, text: string, status: number): void {
    const body = Buffer.from(text);
    const at = this.#answerRing.claim(alignUp(ANSWER_HEAD_BYTES + body.length));
    if (at < 0) throw new Error('the ring of answers is full');
    const { u8, u32 } = this.#answerRing.views;
    u32.set([kind, number, body.length, status, 0, 0, 0, 0, 0], (at >>> 2) + 1);
    u8.set(body, at + ANSWER_HEAD_BYTES);
    this.#answerRing.publish();
    this.#ringApi.ring();
  }

  get url(): string {
    return `http://127.0.0.1:${this.edge.port}`;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const response = await fetch(this.url + path, { method, headers, ...(text === undefined ? {} : { body: text }) });
    const answer = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body: answer === '' ? null : JSON.parse(answer) };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    return this.send('POST', path, body, headers);
  }

  get(path: string): Promise<Answered> {
    return this.send('GET', path);
  }

  /** A request that skips the network: for thousands of them. Resolves with its status. */
  direct(method: string, path: string, body: object | null, source: Source = LOOPBACK): Promise<number> {
    const headers = {
      accept: '', authorization: '', 'content-encoding': '', 'content-type': '', host: '', origin: '',
      'accept-encoding': '', 'if-none-match': '',
    };
    const bytes = body === null ? null : new Uint8Array(Buffer.from(JSON.stringify(body)));
    return new Promise((resolve) => {
      const responder = { aborted: false, send: (status: number) => resolve(status) };
      this.service.route({ method, path, query: '', headers, body: bytes, source }, responder);
    });
  }

  close(): void {
    this.edge.close();
    for (const consumer of this.#consumers) consumer.stop();
    this.service.close();
    for (const port of this.#wiring.reader.large) port.close();
    this.#ringApi.close();
  }
}

/** The number a key has as topic of the stand-in reader. */
export function topicOf(name: string): number {
  let hash = 7;
  for (const char of name) hash = (Math.imul(hash, 31) + char.codePointAt(0)!) >>> 0;
  return hash;
}

/** Waits until `isTrue`, looking again in every turn of the event loop; the test's own timeout bounds it. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
