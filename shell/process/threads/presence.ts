// Who is there: which socket connections have signed something for which account, over all api threads, and what of it matters to
// the core (decision 7.3, docs/decisions/cancelling.md). Something counts as signed when it took effect: only then is its nonce used, so
// that nobody else can send it again. No state of the venue: after a start nobody is there, and who had asked for it is gone. Must
// never take an account for there that is gone: where the room ends, it counts as gone with the connection that is kept of it.

import { accountCount } from '../../../core/accounts/accounts.ts';
import { DISCONNECTED, RECONNECTED, SET_CANCEL_ON_DISCONNECT, WORD_CONNECTION } from '../../../core/codec/commands.ts';
import { recordKind, type Views } from '../../../core/codec/record.ts';
import type { State } from '../../../core/engine/state.ts';
import { presenceRecord } from '../venue-commands.ts';
import { CONNECTION_OPENED, connectionOf, connectionIdOf } from '../../ipc/command-ring.ts';

/** Pairs of a connection and an account it signed for, under 100 bytes each; beyond, each account has the first of its own alone. */
export const MAX_PAIRS = 1_048_576;
/** What an account names that means its last connection. */
const ANY = 0n;

/** What it asks of the ring of an api thread: where it ends now, and whether all before such an end has been taken. */
type Ring = { end(): number; hasTaken(end: number): boolean };

/** The ends of all rings, by api thread, at some moment; none: of before the start. */
type Ends = readonly number[];
const START: Ends = [];

type Connection = {
  readonly id: bigint;
  /** Accounts that it has signed something for. */
  readonly signed: Set<number>;
  /** Accounts whose cancel on disconnect names it. */
  readonly named: Set<number>;
};

export class Presence {
  readonly #state: State;
  readonly #rings: readonly Ring[];
  readonly #most: number;
  #pairs = 0;
  /** Those that are open, by api thread and number, and by id. */
  readonly #connections: readonly Map<number, Connection>[];
  readonly #byId = new Map<bigint, Connection>();
  /** How many connections have signed something for an account; no row for none. */
  readonly #signing = new Map<number, number>();
  /** By account, 1: it has had a connection, so without one it is gone. One that never had any can lose none. */
  readonly #everConnected: Uint8Array;
  /**
   * Accounts of which the core may have to be told something; behind which ends no ring can still tell that the connection that it
   * names was opened.
   */
  readonly #pendingUpdates = new Map<number, Ends>();
  /** By api thread whose ring waits for the others: the ends of all when it began to. */
  readonly #waiting = new Map<number, Ends>();

  /** `rings`: of the api threads, in their order. `most`: pairs that are kept. */
  constructor(state: State, rings: readonly Ring[], most = MAX_PAIRS) {
    this.#state = state;
    this.#rings = rings;
    this.#most = most;
    this.#connections = rings.map(() => new Map<number, Connection>());
    this.#everConnected = new Uint8Array(state.safety.enabled.length);
    for (let account = 0; account < accountCount(state.accounts); account++) {
      if (state.safety.enabled[account] === 0) continue;
      this.#everConnected[account] = 1;
      this.#pendingUpdates.set(account, START);
    }
  }

  /** True when `sendUpdates` has something to look at. */
  get hasUpdates(): boolean {
    return this.#pendingUpdates.size > 0;
  }

  /** True when a ring waits for others. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** A onNotice of an api thread at byte `at` (protocol/command-ring.ts). */
  onNotice(thread: number, views: Views, at: number): void {
    const connections = this.#connections[thread]!;
    const number = connectionOf(views, at);
    if (recordKind(views, at) === CONNECTION_OPENED) {
      const connection: Connection = { id: connectionIdOf(views, at), signed: new Set(), named: new Set() };
      connections.set(number, connection);
      this.#byId.set(connection.id, connection);
      return;
    }
    const connection = connections.get(number);
    if (connection === undefined) return;
    connections.delete(number);
    this.#byId.delete(connection.id);
    for (const account of connection.named) if (this.#isNamed(account, connection.id)) this.#pendingUpdates.set(account, START);
    for (const account of connection.signed) this.#removePair(account);
  }

  /**
   * Whether the connection that the SET_CANCEL_ON_DISCONNECT at byte `at` means is gone; `account` -1: the wallet has none yet. Null: what
   * the other rings have by now has to be taken first. Who may not wait for that has false, and `sendUpdates` tells the core.
   */
  isGone(thread: number, views: Views, at: number, account: number, mayWait: boolean): boolean | null {
    const word = (at >>> 2) + WORD_CONNECTION;
    const id = BigInt(views.u32[word]!) | (BigInt(views.u32[word + 1]!) << 32n);
    if (id === ANY) {
      const isByOne = this.#connections[thread]!.has(connectionOf(views, at));
      return account >= 0 && !isByOne && this.#everConnected[account] === 1 && !this.#signing.has(account);
    }
    const ends = this.#waiting.get(thread) ?? this.#rings.map((ring) => ring.end());
    const isHere = this.#byId.has(id);
    const isHeard = this.#rings.every((ring, other) => other === thread || ring.hasTaken(ends[other]!));
    if (!isHere && !isHeard && mayWait) {
      this.#waiting.set(thread, ends);
      return null;
    }
    this.#waiting.delete(thread);
    return !isHere && isHeard;
  }

  /** The client's command at byte `at` took effect for the account. */
  signed(thread: number, views: Views, at: number, account: number): void {
    const number = connectionOf(views, at);
    if (number !== 0) this.#everConnected[account] = 1;
    if (recordKind(views, at) === SET_CANCEL_ON_DISCONNECT) this.#onNewName(account);
    const connection = number === 0 ? undefined : this.#connections[thread]!.get(number);
    if (connection === undefined || connection.signed.has(account)) return;
    const others = this.#signing.get(account) ?? 0;
    if (others > 0 && this.#pairs >= this.#most) return;
    connection.signed.add(account);
    this.#pairs++;
    this.#signing.set(account, others + 1);
    if (this.#isNamed(account, ANY)) this.#pendingUpdates.set(account, START);
  }

  /**
   * Gives `send` the commands that bring the core up to date; it answers false when there is no room, and the rest waits. A
   * connection that was named and is not known counts as gone once all is heard that the api threads had said by then: its onNotice
   * was in a ring before anybody was told its id.
   */
  sendUpdates(send: (record: Views) => boolean): void {
    const { enabled, goneAt } = this.#state.safety;
    for (const [account, ends] of this.#pendingUpdates) {
      const id = this.#nameOf(account);
      const named = this.#byId.get(id);
      named?.named.add(account);
      const isHere = id === ANY ? this.#signing.has(account) || this.#everConnected[account] === 0 : named !== undefined;
      if (!isHere && !ends.every((end, thread) => this.#rings[thread]!.hasTaken(end))) continue;
      const isToldGone = goneAt[account] !== 0;
      if (enabled[account] !== 0 && isHere === isToldGone) {
        if (!send(presenceRecord(isHere ? RECONNECTED : DISCONNECTED, account, id))) return;
      }
      this.#pendingUpdates.delete(account);
    }
  }

  /** The account is closed, and its number will be another's. It was not used for weeks: hardly ever does a connection know it. */
  forget(account: number): void {
    this.#everConnected[account] = 0;
    this.#pendingUpdates.delete(account);
    if (!this.#signing.delete(account)) return;
    for (const { signed } of this.#byId.values()) if (signed.delete(account)) this.#pairs--;
  }

  #removePair(account: number): void {
    this.#pairs--;
    const left = this.#signing.get(account)! - 1;
    if (left > 0) return void this.#signing.set(account, left);
    this.#signing.delete(account);
    if (this.#isNamed(account, ANY)) this.#pendingUpdates.set(account, START);
  }

  /** The account has said anew what its connection is, and for the core it is there until told otherwise: it may have gone before. */
  #onNewName(account: number): void {
    this.#pendingUpdates.set(account, this.#nameOf(account) === ANY ? START : this.#rings.map((ring) => ring.end()));
  }

  #isNamed(account: number, id: bigint): boolean {
    return this.#state.safety.enabled[account] !== 0 && this.#nameOf(account) === id;
  }

  #nameOf(account: number): bigint {
    const { connection } = this.#state.safety;
    return BigInt(connection[account * 2]!) | (BigInt(connection[account * 2 + 1]!) << 32n);
  }
}
