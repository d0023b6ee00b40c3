// The fleet of a cluster run: signed traders (test/e2e/crash) that write to whichever node leads, go on through every fault, and send a
// request of unknown outcome again, the very same bytes, until it has one.

import { setTimeout as sleep } from 'node:timers/promises';
import { Http, NoAnswer, signerFor, type Answer, type Request } from '../../../scripts/client.ts';
import { checkFills, checkOrders, checkReplays } from '../../e2e/crash/check.ts';
import { marketsOf } from '../../e2e/crash/fleet.ts';
import { count, Trader, type Entry, type Ledger, type Sender } from '../../e2e/crash/trader.ts';
import { generator } from '../../shell/storage/journal/support.ts';
import { keyOf, type Node } from './nodes.ts';
import type { Watch } from './watch.ts';

/** Shorter than most stops, so that requests lie at a leader that is stopped while their traders go to the next one. */
const TIMEOUT_MS = 2_500;
const PAUSE_MS = [2, 12] as const;
const REFUSED_MS = 40;
const RESOLVED_MS = 300_000;
/** Replays per trader and look: those of unknown outcome, and some of the others. */
const REPLAYS = 8;

export class Fleet {
  readonly ledger: Ledger;
  readonly #watch: Watch;
  readonly #count: number;
  readonly #seed: number;
  readonly #random: () => number;
  readonly #clients = new Map<string, Http>();
  readonly #hadUnknown = new WeakSet<Entry>();
  #traders: Trader[] = [];
  #isOver = true;
  #trading: Promise<unknown> = Promise.resolve();

  constructor(options: { readonly watch: Watch; readonly ledger: Ledger; readonly traders: number; readonly seed: number }) {
    this.#watch = options.watch;
    this.ledger = options.ledger;
    this.#count = options.traders;
    this.#seed = options.seed;
    this.#random = generator(options.seed + 7_919);
  }

  get orders(): number {
    return this.#traders.reduce((sum, trader) => sum + trader.orders.size, 0);
  }

  /** How many requests have no outcome at the moment. */
  get unknown(): number {
    return this.#traders.filter((trader) => trader.unknown !== null).length;
  }

  async meet(node: Node): Promise<void> {
    const http = new Http(node.url);
    try {
      const markets = await marketsOf(http);
      const quiet = markets.pop()!;
      const signer = await signerFor(http);
      this.#traders = Array.from({ length: this.#count }, (_, i) => (
        new Trader(signer, markets, quiet, generator(this.#seed + 1 + i), this.ledger)
      ));
      this.#watch.read(`/orders?wallet=${this.#traders[0]!.wallet.address}&limit=5`);
    } finally {
      http.close();
    }
  }

  start(): void {
    this.#isOver = false;
    this.#trading = Promise.all(this.#traders.map((trader) => this.#trade(trader)));
  }

  /** Every request has an outcome. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#trading;
    this.#watch.rest();
  }

  /** What was answered is asked for again at the leader. */
  async look(): Promise<void> {
    const http = this.#patient();
    await Promise.all(this.#traders.map(async (trader) => {
      const ofUnknown = trader.entries.filter((entry) => this.#hadUnknown.has(entry));
      const others = trader.entries.filter((entry) => !this.#hadUnknown.has(entry));
      const some = Array.from({ length: Math.min(REPLAYS, others.length) }, () => others[Math.floor(this.#random() * others.length)]!);
      await checkReplays(http, trader, [...ofUnknown, ...new Set(some)], this.ledger);
      trader.entries = [];
    }));
  }

  /** All orders and fills of all times, at one node. */
  async lookAtAll(node: Node, withFills: boolean): Promise<void> {
    const http = new Http(node.url, { connections: this.#count });
    try {
      for (const trader of this.#traders) await checkOrders(http, trader, this.ledger);
      if (withFills) await checkFills(http, this.#traders, this.ledger);
    } finally {
      http.close();
    }
  }

  end(): void {
    this.#isOver = true;
    for (const http of this.#clients.values()) http.close();
  }

  async #trade(trader: Trader): Promise<void> {
    const http = this.#leader();
    while (!this.#isOver) {
      await trader.trade(http, () => this.#isOver);
      if (trader.unknown !== null) await this.#resolve(trader, http);
    }
  }

  async #resolve(trader: Trader, http: Sender): Promise<void> {
    this.#hadUnknown.add(trader.unknown!);
    for (const until = performance.now() + RESOLVED_MS; trader.unknown !== null;) {
      if (performance.now() > until) throw new Error(`no outcome within ${RESOLVED_MS} ms: ${trader.unknown.request.body}`);
      // It throws while nobody leads.
      await trader.resolve(http).catch(() => undefined);
    }
  }

  #leader(): Sender {
    const send = (request: Request): Promise<Answer> => this.#send(request);
    return { send, get: (path) => send({ method: 'GET', path }) };
  }

  #patient(): Sender {
    const leader = this.#leader();
    const send = async (request: Request): Promise<Answer> => {
      for (const until = performance.now() + RESOLVED_MS; ;) {
        const answer = await leader.send(request).catch(() => null);
        if (answer !== null && answer.status < 500 && answer.status !== 429) return answer;
        if (performance.now() > until) throw new NoAnswer(`nothing but refusals within ${RESOLVED_MS} ms`);
      }
    };
    return { send, get: (path) => send({ method: 'GET', path }) };
  }

  async #send(request: Request): Promise<Answer> {
    const [low, high] = PAUSE_MS;
    await sleep(low + this.#random() * (high - low));
    const node = this.#watch.leader;
    // Its next process may follow, and what it shows then is not of now.
    if (node === null || !this.#watch.isLeading(node)) throw new NoAnswer('nobody leads');
    const key = keyOf(node);
    const http = this.#clients.get(key) ?? new Http(node.url, { connections: this.#count * 3, timeoutMs: TIMEOUT_MS });
    this.#clients.set(key, http);
    const asked = { by: key, isLeading: true, sent: performance.now() };
    try {
      const answer = await http.send(request);
      this.#watch.note(asked, answer, request.method !== 'GET');
      if (answer.status === 503) await this.#noteRefused(answer);
      return answer;
    } catch (error) {
      await sleep(REFUSED_MS);
      throw error;
    }
  }

  async #noteRefused({ body }: Answer): Promise<void> {
    count(this.ledger, `refused: ${(body as { error?: string } | null)?.error ?? '503'}`);
    await sleep(REFUSED_MS);
  }
}
