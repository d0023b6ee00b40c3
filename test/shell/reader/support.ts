// A reader beside a venue in one thread, for tests: the venue's log is fed to it record by record, its history is the real store in a
// temporary folder, whose commits the test decides, and what it sends to api threads is kept.

import type { TestContext } from 'node:test';
import { CALL } from '../../../core/codec/commands.ts';
import { viewsOf } from '../../../core/codec/record.ts';
import { createState } from '../../../core/engine/state.ts';
import { checked, SMALL, type Limits } from '../../../core/limits.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import type { Batch, FromHistory, HistoryQuery, ToHistory } from '../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../shell/storage/history/history-store.ts';
import { CONFLATION_MS } from '../../../shell/reader/channels/source.ts';
import { BOTH_LEGS, isChainRow, readChainRow } from '../../../shell/ipc/chain-row.ts';
import type { QueryName, QueryParameters } from '../../../shell/ipc/queries.ts';
import type { ExchangeFacts } from '../../../shell/reader/queries.ts';
import { Reader } from '../../../shell/reader/reader.ts';
import { Statistics } from '../../../shell/reader/market/statistics.ts';
import { addressOfWords } from '../../../shell/reader/text.ts';
import { walletWords, type Contract, type OrderFields } from '../../support/records.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { START, TestVenue } from '../../support/venue.ts';

export const VENUE = '00c0ffee00c0ffee';
export const EXPIRY = START + 24 * 3_600_000 + 8 * 3_600_000;
export const CALL_100: Contract = { underlying: 'BTC', expiry: EXPIRY, strike: 100_000e6, kind: CALL };
export const CALL_100_SYMBOL = 'BTC-20260106-100000-C';
export const EXCHANGE: ExchangeFacts = {
  chainId: 998, serviceName: 'Strikebook', venue: VENUE, table: DEFAULT_LIMITS, isRated: true,
  head: () => ({ seq: 7, hash: Buffer.alloc(32, 0xab) }), ordersUsed: (account) => 10 + account,
};

export function walletText(wallet: number): string {
  return addressOfWords(walletWords(wallet), 0);
}

/** The history thread without a thread: messages wait until `run` handles them. */
export class TestHistory {
  readonly store: HistoryStore;
  readonly inbox: ToHistory[] = [];
  isClosed = false;
  /** Whether a batch is committed as soon as it is taken. */
  isCommitting = true;

  constructor(folder: string) {
    this.store = HistoryStore.open(folder, VENUE);
  }

  /** Handles up to `count` messages. */
  run(reader: Reader, count = Infinity): void {
    for (let i = 0; i < count && this.inbox.length > 0; i++) {
      for (const answer of this.#answers(this.inbox.shift()!)) reader.history.receive(answer);
    }
  }

  #answers(message: ToHistory): FromHistory[] {
    switch (message.type) {
      case 'batch': {
        const taken: FromHistory = { type: 'taken', seq: this.store.take([structuredClone(message) as Batch]) };
        return this.isCommitting ? [taken, { type: 'committed', seq: this.store.commit() }] : [taken];
      }
      case 'ask': return [{
        type: 'answered', request: message.request, appliedSeq: this.store.appliedSeq,
        rows: structuredClone(this.store.answer(message.query as HistoryQuery)),
      }];
      case 'close':
        this.isClosed = true;
        this.store.finish(message.candles);
        this.store.close();
        return [{ type: 'closed' }];
    }
  }
}

type TextAnswer = { readonly status: number; readonly body: string };

/** `message`: of a row of the chain the one with both contracts; `body` as it goes to the api thread. */
export type Sent = { api: number; topic: number; also: number; seq: number; message: Record<string, unknown>; body: Uint8Array };

/** Room for five expiries of BTC: what time passes over costs as much as it has contracts. */
const FEW = checked({ ...SMALL, instruments: 400 });
/** The whole calendar, and rows for the contracts listed after an expiry, so that those that have expired keep theirs. */
export const ROOMY = checked({ ...SMALL, instruments: 2 * SMALL.instruments });

/** `limits`: of a venue of its own. */
type BenchOptions = { venue?: TestVenue; limits?: Limits; mostRows?: number; mostAccounts?: number; folder?: string };

/** A venue and its reader. */
export class Bench {
  readonly venue: TestVenue;
  readonly history: TestHistory;
  /** Of the history. */
  readonly folder: string;
  readonly reader: Reader;
  readonly sent: Sent[] = [];
  /** Streams send what they hold back after every command, unless this says otherwise. */
  isHeld = false;
  /** Of the newest order or cancel. */
  nonce = 0;
  #fed = 0;
  #flushedAt = 0;

  constructor(t: TestContext, options: BenchOptions = {}) {
    this.venue = options.venue ?? new TestVenue({ limits: options.limits ?? FEW }).open();
    this.folder = options.folder ?? temporaryFolder(t);
    this.history = new TestHistory(this.folder);
    this.reader = new Reader({
      state: createState(this.venue.state.limits), historySeq: this.history.store.appliedSeq, statistics: new Statistics(),
      exchange: EXCHANGE,
      ...(options.mostRows === undefined ? {} : { mostRows: options.mostRows }),
      ...(options.mostAccounts === undefined ? {} : { mostAccounts: options.mostAccounts }),
      now: () => this.venue.now, toHistory: (message) => this.history.inbox.push(message),
      toApi: (api, topic, seq, message, also) => {
        const body = new Uint8Array(message);
        const text = isChainRow(body) ? readChainRow(body).message(BOTH_LEGS) : body;
        this.sent.push({ api, topic, also, seq, body, message: JSON.parse(Buffer.from(text).toString()) as Sent['message'] });
      },
    });
    this.feed();
  }

  /** Feeds everything that was sequenced since the last time. */
  feed(): void {
    const { kept } = this.venue.log;
    for (; this.#fed < kept.length; this.#fed++) {
      const views = viewsOf(kept[this.#fed]!.buffer as ArrayBuffer);
      while (!this.reader.isReady(views, 0)) this.history.run(this.reader, 1);
      this.reader.feed(views, 0);
      if (!this.isHeld) this.flush();
    }
  }

  /** Sends what the streams hold back, whatever rests. */
  flush(): void {
    this.#flushedAt += CONFLATION_MS;
    this.reader.streams.flush(this.#flushedAt);
  }

  /** Lets the history commit everything. */
  commit(): void {
    this.reader.history.send();
    this.history.run(this.reader);
  }

  place(fields: Partial<OrderFields> & Pick<OrderFields, 'wallet' | 'side' | 'price' | 'size'>): number {
    const { venue } = this;
    const code = venue.send(venue.write.place({ ...CALL_100, nonce: ++this.nonce, ...fields }));
    this.feed();
    return code;
  }

  cancel(wallet: number, id: number): number {
    const code = this.venue.send(this.venue.write.cancel(wallet, ++this.nonce, id));
    this.feed();
    return code;
  }

  /** The answer, after the history has had its say if it is asked. */
  answer<Q extends QueryName>(name: Q, parameters: QueryParameters[Q], api = 0): TextAnswer {
    let given: TextAnswer | null = null;
    this.reader.answer(api, name, parameters, ({ status, body }) => {
      if (given !== null) throw new Error(`${name} was answered twice`);
      given = { status, body: typeof body === 'string' ? body : Buffer.from(body).toString() };
    });
    if (given === null) this.history.run(this.reader);
    if (given === null) throw new Error(`${name} was not answered`);
    return given;
  }

  /** The parsed body of an answer of 200. */
  body<T = Record<string, unknown>, Q extends QueryName = QueryName>(name: Q, parameters: QueryParameters[Q]): T {
    const { status, body } = this.answer(name, parameters);
    if (status !== 200) throw new Error(`${name} answered ${status}: ${body}`);
    return JSON.parse(body) as T;
  }
}
