// An open loop with a variable rate: requests are sent when they are due, whatever the venue does, over connections with one request in
// flight each. A request that is due while all are busy is counted as not sent, as a client would give up; otherwise an overload would
// leave its backlog behind. Latencies in ms from when a request was due.

import { Connection } from '../../../bench/http-load.ts';
import type { Due } from './traders.ts';

/** What a span of time brought. An answer counts in the span in which it comes. */
export type Span = {
  readonly seconds: number;
  /** Answers a second. */
  readonly rate: number;
  /** Sorted. */
  readonly latency: Float64Array;
  readonly unsent: number;
  /** By kind of request and what came of it. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** 429 and 503. */
  readonly refused: number;
  /** What must not be: other statuses, connections that were closed, refusals without a reason. */
  readonly faults: readonly string[];
};

/** Refusals that a busy venue may give, by their status. */
const BUSY: Readonly<Record<number, string>> = { 429: '"error":"rate_limit_exceeded"', 503: '"error":"engine_busy"' };
const KEPT_FAULTS = 20;
const OPENED_AT_ONCE = 100;
/** The venue closes a connection that has not asked for 8 to 12 s, perhaps at the moment of its next request: such a one is left. */
const IDLE_MS = 6_000;

type Idle = { readonly connection: Connection; readonly since: number };

export class OpenLoop {
  readonly #port: number;
  readonly #all: number;
  readonly #next: () => Due;
  /** Used in turn. */
  #free: Idle[] = [];
  #busy = 0;
  #latency: number[] = [];
  #outcomes = new Map<string, number>();
  #unsent = 0;
  #refused = 0;
  #faults: string[] = [];
  #pump: () => void = () => undefined;

  constructor(port: number, connections: number, next: () => Due) {
    this.#port = port;
    this.#all = connections;
    this.#next = next;
  }

  /** `rate` requests a second for so long; an infinite one keeps `most` under way. */
  async hold(rate: number, seconds: number, most = this.#all): Promise<Span> {
    await this.#connect();
    const start = performance.now();
    const end = start + seconds * 1_000;
    let sent = 0;
    this.#pump = () => {
      const now = performance.now();
      if (now >= end) return;
      if (rate === Infinity) {
        while (this.#busy < most && this.#send(now)) { /* one more is under way */ }
        return;
      }
      for (const due = Math.floor((now - start) / 1_000 * rate); sent < due; sent++) {
        if (this.#busy >= most || !this.#send(start + sent / rate * 1_000)) this.#unsent++;
      }
    };
    const timer = setInterval(() => this.#pump(), 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    clearInterval(timer);
    this.#pump = () => undefined;
    return this.#taken((performance.now() - start) / 1_000);
  }

  /**
   * As many at once as there are connections, signed beforehand; until all are answered. `hold` stops who hears them until all are on
   * their way, so that it meets them together, however fast it is.
   */
  async flood(hold: (isHeld: boolean) => void): Promise<Span> {
    const all = Array.from({ length: this.#all }, () => this.#next());
    await this.#connect();
    hold(true);
    const now = performance.now();
    for (const request of all) if (!this.#send(now, request)) this.#unsent++;
    hold(false);
    return this.quiet();
  }

  /** Waits until all is answered. */
  async quiet(): Promise<Span> {
    const start = performance.now();
    while (this.#busy > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    return this.#taken((performance.now() - start) / 1_000);
  }

  close(): void {
    for (const { connection } of this.#free) connection.close();
  }

  /** Opens what is missing; of those that were free some may have been so for too long by the time the others are open: twice at most. */
  async #connect(): Promise<void> {
    for (let left = 2 * this.#all; left > 0; left -= OPENED_AT_ONCE) {
      this.#free = this.#free.filter(isFresh);
      const some = Math.min(OPENED_AT_ONCE, this.#all - this.#free.length - this.#busy);
      if (some === 0) return;
      const opened = await Promise.all(Array.from({ length: some }, () => Connection.open(this.#port)));
      this.#free.push(...opened.map((connection) => ({ connection, since: performance.now() })));
    }
  }

  /** False when all connections are busy. */
  #send(due: number, request?: Due): boolean {
    let idle = this.#free.shift();
    while (idle !== undefined && !isFresh(idle)) idle = this.#free.shift();
    if (idle === undefined) return false;
    const { connection } = idle;
    const { kind, bytes, hear } = request ?? this.#next();
    this.#busy++;
    connection.send(bytes, ({ status, body }) => {
      this.#busy--;
      this.#latency.push(performance.now() - due);
      this.#count(`${kind} ${hear(status, body)}`);
      if (status !== 200) this.#refusal(kind, status, body);
      this.#free.push({ connection, since: performance.now() });
      this.#pump();
    }, (error) => {
      this.#busy--;
      this.#fault(`${kind}: ${error.message}`);
    });
    return true;
  }

  #refusal(kind: string, status: number, body: Buffer): void {
    const reason = BUSY[status];
    if (reason !== undefined && body.includes(reason)) this.#refused++;
    else this.#fault(`${kind}: ${status} ${body.toString('utf8')}`);
  }

  #count(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  #fault(text: string): void {
    if (this.#faults.length < KEPT_FAULTS) this.#faults.push(text);
  }

  #taken(seconds: number): Span {
    const latency = Float64Array.from(this.#latency).sort();
    const span = {
      seconds, rate: latency.length / seconds, latency, unsent: this.#unsent, outcomes: this.#outcomes, refused: this.#refused,
      faults: this.#faults,
    };
    this.#latency = [];
    this.#outcomes = new Map();
    this.#unsent = this.#refused = 0;
    this.#faults = [];
    return span;
  }
}

function isFresh({ connection, since }: Idle): boolean {
  if (!connection.isClosed && performance.now() - since < IDLE_MS) return true;
  connection.close();
  return false;
}
