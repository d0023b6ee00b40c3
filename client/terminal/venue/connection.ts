// The page's one connection to its venue: a client and a socket of the library, their state, the venue's clock and the round trip. It never
// gives up. A panel does not use it directly but through `hooks.ts`:
//
//     const { data, error, refresh } = useRead('/orders', { wallet }, { everyMs: 5_000 });
//     useStream('orderbook', { symbols: [symbol] }, (message) => setSoon(levels, message.bids), () => setSoon(levels, []));
//
// Both follow the panel: they begin when it is shown, end when it is gone, and do nothing while the query or the options are null.
// `setSoon` (frames.ts) writes a signal in the next animation frame. For signed requests: `connection.client.value`, which has a signer
// once `useAccount` was called; for fast orders `connection.socket.value`, and `connection.state.value` says whether it is live.

import { batch, signal } from '@preact/signals';
import { connect, type ExchangeInfo, type Gap, type Signer, type Strikebook, type VenueSocket } from '../../src/main.ts';
import { noteSigned } from './signed-log.ts';
import { threadedSockets } from './threaded-socket.ts';

type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly since: number }
  | { readonly kind: 'away'; readonly since: number; readonly reason: string };
/** Without a signer the page only shows the wallet. */
type Account = { readonly wallet: string; readonly signer: Signer | null };
type LinkListener = { up?(isAgain: boolean, link: Link): void; gap?(gap: Gap): void };
/** Market data stay when the account changes; an account's streams and orders have a socket of their own. */
type Link = 'shared' | 'own';

const RETRY_MS = 1_000;
const CLOCK_EVERY_MS = 10_000;
const GAPS_KEPT = 100;

class Connection {
  readonly state = signal<LinkState>({ kind: 'connecting' });
  readonly client = signal<Strikebook | null>(null);
  readonly socket = signal<VenueSocket | null>(null);
  readonly sharedSocket = signal<VenueSocket | null>(null);
  readonly account = signal<Account | null>(null);
  /** Read again after each loss of the connection. */
  readonly info = signal<ExchangeInfo | null>(null);
  /** Nothing on the page is then of the venue it was opened for. */
  readonly isOtherVenue = signal(false);
  readonly roundTripMs = signal<number | null>(null);
  readonly clockOffsetMs = signal(0);
  readonly gaps = signal<readonly Gap[]>([]);
  readonly url: string;
  readonly #listeners = new Set<LinkListener>();
  readonly #lost = new Set<Link>();
  readonly #sockets = threadedSockets();
  /** Changes of account: what was begun for an earlier one is dropped. */
  #turn = 0;

  constructor(url: string) {
    this.url = url;
  }

  start(): void {
    void this.#open(this.#turn);
    setInterval(() => void this.#readClock(), CLOCK_EVERY_MS);
  }

  /** Only the account's own streams begin again. */
  useAccount(account: Account | null): void {
    const { wallet = null, signer = null } = this.account.peek() ?? {};
    if (wallet === (account?.wallet ?? null) && signer === (account?.signer ?? null)) return;
    this.account.value = account;
    void this.#open(++this.#turn);
  }

  /** The venue's time, ms. */
  now(): number {
    return Date.now() + this.clockOffsetMs.value;
  }

  /** `isAgain`: messages may have been missed. `gap`: they were. */
  listen(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #open(turn: number): Promise<void> {
    const client = await this.#connect(turn);
    if (client === null) return;
    const account = this.account.peek();
    const [shared, before] = [this.sharedSocket.peek() ?? this.#socketOf(client, 'shared', () => true), this.socket.peek()];
    const own = account === null ? shared : this.#socketOf(client, 'own', () => turn === this.#turn, account.wallet);
    batch(() => {
      this.#meet(client.info);
      this.client.value = client;
      this.sharedSocket.value = shared;
      this.socket.value = own;
      this.#found('own');
    });
    if (before !== shared) before?.close();
  }

  #socketOf(client: Strikebook, link: Link, isCurrent: () => boolean, wallet?: string): VenueSocket {
    return client.socket({
      onUp: (isAgain) => { if (isCurrent()) this.#up(link, isAgain); },
      onDown: (reason) => {
        if (!isCurrent()) return;
        this.#lost.add(link);
        this.#away(reason);
      },
      onGap: (gap) => {
        this.gaps.value = [...this.gaps.value, gap].slice(-GAPS_KEPT);
        for (const listener of [...this.#listeners]) listener.gap?.(gap);
      },
      ...(wallet !== undefined && { wallet }), ...(this.#sockets !== undefined && { WebSocket: this.#sockets }),
    });
  }

  async #connect(turn: number): Promise<Strikebook | null> {
    const account = this.account.peek();
    const signer = account?.signer ?? null;
    for (;;) {
      try {
        const client = await connect(this.url, {
          retries: 0, onSigned: noteSigned, now: () => this.now(), ...(signer !== null && { signer, wallet: account!.wallet }),
        });
        return turn === this.#turn ? client : null;
      } catch (error) {
        if (turn !== this.#turn) return null;
        this.#away((error as Error).message);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #up(link: Link, isAgain: boolean): void {
    this.#found(link);
    if (this.state.peek().kind === 'connecting') this.state.value = { kind: 'live', since: Date.now() };
    if (isAgain) void this.client.peek()?.get('/exchange-info', {}).then((info) => this.#meet(info), () => undefined);
    for (const listener of [...this.#listeners]) listener.up?.(isAgain, link);
    void this.#readClock();
  }

  #found(link: Link): void {
    this.#lost.delete(link);
    const isConnected = this.sharedSocket.peek()?.isConnected === true;
    if (this.state.peek().kind === 'away' && this.#lost.size === 0 && isConnected) this.state.value = { kind: 'live', since: Date.now() };
  }

  #away(reason: string): void {
    const before = this.state.value;
    const since = before.kind === 'away' ? before.since : Date.now();
    this.state.value = { kind: 'away', since, reason };
    this.roundTripMs.value = null;
  }

  #meet(info: ExchangeInfo): void {
    const { venue_id: before } = this.info.peek() ?? info;
    if (info.venue_id !== before) this.isOtherVenue.value = true;
    this.info.value = info;
  }

  async #readClock(): Promise<void> {
    const client = this.client.value;
    if (client === null || this.state.value.kind !== 'live') return;
    const began = performance.now();
    const answer = await client.get('/time', {}, { retries: 0 }).catch(() => null);
    if (answer === null) return;
    const roundTrip = performance.now() - began;
    batch(() => {
      this.roundTripMs.value = roundTrip;
      this.clockOffsetMs.value = Math.round(answer.time_ms + roundTrip / 2 - Date.now());
    });
  }
}

export const connection = new Connection(new URL('.', document.baseURI).href);
