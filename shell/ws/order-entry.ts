// Order entry over one connection. Requests take effect and are answered in order of arrival; many may be in flight.
// Each is answered, even beyond a bound.

import type { Result } from '../api/action.ts';
import type { ApiContext } from '../api/context.ts';
import type { AnnouncedConnection } from '../api/connection-notices.ts';
import { walletOf } from '../api/routes/bulk.ts';
import { Submission, type RequestOrigin } from '../api/submit.ts';
import { INTERNAL, refuse, type Refused } from '../http/errors.ts';
import { BOUNDS } from '../http/limits.ts';
import type { Source } from '../http/source.ts';
import { ROLES } from '../ipc/cluster-status.ts';
import type { JsonObject } from '../process/json-object.ts';
import { actionOf, answerText, itemsOf, ORDER_MESSAGES, resultText, type OrderMessageKind, type OrderMessage } from './order-messages.ts';
import { BAD_ID, idOf, type RequestId } from './request-id.ts';

type EntryRequest = OrderMessage & { wallets: readonly string[]; answer: string | null };

type EntryParts = {
  readonly api: ApiContext;
  readonly source: Source;
  readonly connection: string;
  readonly send: (frame: string) => void;
  readonly end: (reason: string) => void;
};

export class OrderEntry {
  readonly #parts: EntryParts;
  readonly #origin: RequestOrigin;
  /** The connection is then closed. */
  readonly #announced: AnnouncedConnection | null;
  /** Answered ones may wait behind others. */
  readonly #requests: EntryRequest[] = [];
  /** Counted by wallet as written, per connection, because anyone may name any wallet. */
  readonly #inFlight = new Map<string, number>();
  #isOver = false;

  constructor(parts: EntryParts) {
    const { api, connection, source } = parts;
    this.#parts = parts;
    this.#announced = api.connectionNotices.open(connection);
    this.#origin = { source: this.#announced === null ? source : { ...source, connection: this.#announced }, query: '' };
    if (this.#announced === null) parts.end('the engine is busy, connect again later');
  }

  take(type: string, sent: JsonObject, refused: Refused | null): boolean {
    const kind = ORDER_MESSAGES.get(type);
    if (kind === undefined) return false;
    if (this.#requests.length >= BOUNDS.resultsWaiting) this.#parts.end('too many requests in flight');
    else this.#accept(kind, idOf(sent), sent, refused);
    return true;
  }

  /**
   * Answers to open requests are dropped. Main learns of the close after all are answered, ANSWER_TIMEOUT at the latest, so that orders
   * still waiting for their signature check precede it.
   */
  close(): void {
    this.#isOver = true;
    this.#sendAnswers();
  }

  #accept(kind: OrderMessageKind, id: RequestId | undefined, sent: JsonObject, refused: Refused | null): void {
    const request: EntryRequest = { kind, id: id ?? null, sent: id === undefined ? {} : sent, wallets: [], answer: null };
    this.#requests.push(request);
    const fault = id === undefined ? BAD_ID : refused;
    if (fault !== null) return this.#refuse(request, fault);
    try {
      this.#submit(request);
    } catch (error) {
      this.#parts.api.fault('order entry', error);
      this.#refuse(request, INTERNAL);
    }
  }

  #submit(request: EntryRequest): void {
    const { kind } = request;
    const { api } = this.#parts;
    const items = itemsOf(request);
    if (!items.ok) return this.#refuse(request, items);
    const wallets = items.value.length === 1 ? [walletOf(items.value[0])] : [...new Set(items.value.map(walletOf))];
    if (wallets.some((wallet) => this.#countOf(wallet) >= BOUNDS.requestsInFlight)) {
      return this.#refuse(request, refuse('limit_exceeded', `Too many requests in flight: ${BOUNDS.requestsInFlight} is the maximum`));
    }
    for (const wallet of wallets) this.#inFlight.set(wallet, this.#countOf(wallet) + 1);
    request.wallets = wallets;
    const finish = (results: readonly Result[], seq: number): void => {
      this.#answer(request, answerText(request, results, api.leadership.role === ROLES.alone ? 0 : seq));
    };
    const makers = items.value.map((item) => () => actionOf(api, kind, item));
    new Submission(api, this.#origin, makers, kind.list !== null, finish).start();
  }

  #refuse(request: EntryRequest, refused: Refused): void {
    this.#answer(request, resultText(request, refused));
  }

  #answer(request: EntryRequest, text: string): void {
    if (request.answer !== null) return;
    request.answer = text;
    for (const wallet of request.wallets) this.#leave(wallet);
    this.#sendAnswers();
  }

  #sendAnswers(): void {
    const requests = this.#requests;
    for (let first = requests[0]; first !== undefined && first.answer !== null; first = requests[0]) {
      requests.shift();
      if (!this.#isOver) this.#parts.send(first.answer);
    }
    if (this.#isOver && requests.length === 0) this.#announced?.close();
  }

  #countOf(wallet: string): number {
    return this.#inFlight.get(wallet) ?? 0;
  }

  #leave(wallet: string): void {
    const left = this.#countOf(wallet) - 1;
    if (left === 0) this.#inFlight.delete(wallet);
    else this.#inFlight.set(wallet, left);
  }
}
