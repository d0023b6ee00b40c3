// The quoting helper: looks at the marks every few seconds and sends a mass quote around them when they, or what is wanted, have changed.
// It stops at a lost connection or key and at a refusal; what rests stays. It outlives the panel.

import { effect, signal } from '@preact/signals';
import type { QuoteAnswer, Signer, Strikebook, StrikebookError, VenueSocket } from '../../../src/main.ts';
import { connection } from '../../venue/connection.ts';
import { venueText } from '../../venue/signed-log.ts';
import { messagesOf, quoteLines, removals } from './lines.ts';

/** The fields as typed, in volatility points, contracts and seconds. */
export type QuotePlan = {
  readonly width: string; readonly skew: string; readonly size: string; readonly everySeconds: string;
  readonly crossing: 'reject' | 'slide'; readonly symbols: readonly string[];
};
type QuotingState =
  | { readonly kind: 'off'; readonly why: string | null; readonly isFault: boolean }
  | { readonly kind: 'on'; readonly underlying: string; readonly since: number };
type SideAnswer = QuoteAnswer['results'][number]['bid'];
type Sent = { readonly timeMs: number; readonly counts: QuoteAnswer['counts']; readonly isLate: boolean };

export const QUOTE_SET = 'page';
export const LEAST_EVERY_S = 1;
const VALID_MS = 10_000;
const TIMEOUT_MS = 5_000;
const WHEN_FROZEN = 'Stopped: protection has frozen this underlying. Look at the fills, unfreeze, and start again.';
const FROZEN = 'Order canceled by MMP trigger';

class Quoting {
  readonly state = signal<QuotingState>({ kind: 'off', why: null, isFault: false });
  readonly answers = signal<ReadonlyMap<string, { readonly bid: SideAnswer; readonly ask: SideAnswer }>>(new Map());
  readonly lastSent = signal<Sent | null>(null);
  readonly #quoted = new Set<string>();
  #plan: () => QuotePlan = () => ({ width: '', skew: '', size: '', everySeconds: '', crossing: 'reject', symbols: [] });
  #signer: Signer | null = null;
  /** What was begun before a start or stop is dropped. */
  #turn = 0;
  #done = '';

  /** `plan` is asked each time: changes act on the next message. */
  start(underlying: string, plan: () => QuotePlan): void {
    this.#plan = plan;
    this.#signer = connection.account.peek()?.signer ?? null;
    this.#done = '';
    this.#quoted.clear();
    this.answers.value = new Map();
    this.lastSent.value = null;
    this.state.value = { kind: 'on', underlying, since: connection.now() };
    void this.#run(++this.#turn, underlying);
  }

  stop(why: string | null, isFault = false): void {
    if (this.state.peek().kind === 'off') return;
    this.#turn++;
    this.state.value = { kind: 'off', why, isFault };
  }

  /** '': all sets. */
  async pull(set: typeof QUOTE_SET | ''): Promise<number> {
    this.stop(null);
    const answer = await signing().cancelQuotes(set);
    if (!answer.success) throw new Error(answer.error ?? 'The venue did not cancel the quotes.');
    this.answers.value = new Map();
    return answer.data!.cancelled;
  }

  guard(): void {
    effect(() => {
      const link = connection.state.value;
      const signer = connection.account.value?.signer ?? null;
      if (this.state.peek().kind === 'off') return;
      if (link.kind !== 'live') {
        this.stop('Stopped: the page has lost its connection. Its quotes stay in the book unless cancel-on-disconnect ends them.', true);
      } else if (signer !== this.#signer) {
        this.stop('Stopped: the key that signed the quotes is no longer in use here. Its quotes stay in the book.', true);
      }
    });
  }

  async #run(turn: number, underlying: string): Promise<void> {
    while (turn === this.#turn) {
      try {
        await this.#refresh(turn, underlying);
      } catch (error) {
        if (turn !== this.#turn) return;
        if (!isPassing(error)) return this.stop(`Stopped: ${venueText(error)}`, true);
        this.lastSent.value = this.lastSent.value === null ? null : { ...this.lastSent.value, isLate: true };
      }
      const wait = Math.max(LEAST_EVERY_S, Number(this.#plan().everySeconds) || LEAST_EVERY_S) * 1_000;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async #refresh(turn: number, underlying: string): Promise<void> {
    const { crossing, size, skew, symbols, width } = this.#plan();
    const { wallet } = connection.account.peek()!;
    const client = signingClient();
    const call = { retries: 0, timeoutMs: TIMEOUT_MS };
    const [{ data: inputs }, { data: protections }, { quotePrices }] = await Promise.all([
      client.get('/risk/inputs', { wallet, symbols: symbols.join(',') }, call),
      client.get('/mmp/config', { wallet, currency: underlying }, call),
      import('../../whatif/quote-prices.ts'),
    ]);
    if (turn !== this.#turn) return;
    if (protections.some(({ is_frozen: isFrozen }) => isFrozen)) return this.stop(WHEN_FROZEN, true);
    const vintage = inputs.underlyings.find((one) => one.underlying === underlying)?.vintage ?? 0;
    const wanted = JSON.stringify([vintage, crossing, size, skew, symbols, width]);
    if (wanted === this.#done) return;
    const chosen = new Set(symbols);
    const prices = quotePrices(inputs, { width: Number(width), skew: Number(skew) }).filter(({ symbol }) => chosen.has(symbol));
    const lines = [...removals(this.#quoted, chosen), ...quoteLines(prices, size)];
    for (const quotes of messagesOf(lines)) {
      const terms = { quote_set: QUOTE_SET, quotes, crossing, valid_until: connection.now() + VALID_MS };
      const answer = await signing().massQuote(terms, { retries: 0, timeoutMs: TIMEOUT_MS });
      for (const { symbol } of quotes) this.#quoted.add(symbol);
      this.#take(answer);
      if (turn !== this.#turn) return;
    }
    for (const symbol of this.#quoted) if (!chosen.has(symbol)) this.#quoted.delete(symbol);
    this.#done = wanted;
  }

  #take({ counts, reason, results, status }: QuoteAnswer): void {
    if (status === 'REJECTED') return this.stop(`Stopped: ${reason ?? 'the venue refused the quotes.'}`, true);
    const answers = new Map(this.answers.value);
    for (const { ask, bid, symbol } of results) answers.set(symbol, { ask, bid });
    this.answers.value = answers;
    this.lastSent.value = { timeMs: connection.now(), counts, isLate: false };
    const isFrozen = results.some(({ ask, bid }) => ask?.reason === FROZEN || bid?.reason === FROZEN);
    if (isFrozen) this.stop(WHEN_FROZEN, true);
  }
}

/** By the socket, for cancel-on-disconnect. */
function signing(): VenueSocket {
  const socket = connection.socket.peek();
  if (socket === null) throw new Error('The page has no connection.');
  return socket;
}

function signingClient(): Strikebook {
  const client = connection.client.peek();
  if (client === null) throw new Error('The page has no connection.');
  return client;
}

function isPassing(error: unknown): boolean {
  return ['rate_limit_exceeded', 'engine_busy', 'not_ready', 'timeout'].includes((error as Partial<StrikebookError>).code ?? '');
}

export const quoting = new Quoting();
quoting.guard();
