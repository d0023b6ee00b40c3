// Which socket connections have signed for which account, over all api threads, and what the core must know of it
// (docs/decisions/cancelling.md). Only an effective command counts: its nonce is used, so nobody can replay it. An
// account that is gone must never count as connected.

import { accountCount } from '../../../core/accounts/accounts.ts';
import { DISCONNECTED, RECONNECTED, SET_CANCEL_ON_DISCONNECT, WORD_CONNECTION } from '../../../core/codec/commands.ts';
import { recordKind, type Views } from '../../../core/codec/record.ts';
import type { State } from '../../../core/engine/state.ts';
import { presenceRecord } from '../venue-commands.ts';
import { CONNECTION_OPENED, connectionOf, connectionIdOf } from '../../ipc/command-ring.ts';

/** Pairs of an account and a connection. When full, an account keeps one connection and is gone with it. */
export const MAX_PAIRS = 1_048_576;
/** The account's last connection, in place of an id. */
const ANY = 0n;

type Ring = { end(): number; hasTaken(end: number): boolean };

/** Ring ends by api thread, at one moment; empty: before the start. */
type Ends = readonly number[];
const START: Ends = [];

type Connection = {
  readonly id: bigint;
  readonly signed: Set<number>;
  /** Accounts whose cancel on disconnect names this connection. */
  readonly named: Set<number>;
};

export class Presence {
  readonly #state: State;
  readonly #rings: readonly Ring[];
  readonly #most: number;
  #pairs = 0;
  readonly #connections: readonly Map<number, Connection>[];
  readonly #byId = new Map<bigint, Connection>();
  readonly #connectionCount = new Map<number, number>();
  /** 1: the account has had a connection, so without one it is gone. */
  readonly #everConnected: Uint8Array;
  /** By account, the ring ends to take first: a ring may still announce the named connection. */
  readonly #pendingUpdates = new Map<number, Ends>();
  readonly #waiting = new Map<number, Ends>();

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

  get hasUpdates(): boolean {
    return this.#pendingUpdates.size > 0;
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

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

  /** `account` -1: the wallet has none. Null: the other rings must be taken first. */
  isGone(thread: number, views: Views, at: number, account: number, mayWait: boolean): boolean | null {
    const word = (at >>> 2) + WORD_CONNECTION;
    const id = BigInt(views.u32[word]!) | (BigInt(views.u32[word + 1]!) << 32n);
    if (id === ANY) {
      const isByOne = this.#connections[thread]!.has(connectionOf(views, at));
      return account >= 0 && !isByOne && this.#everConnected[account] === 1 && !this.#connectionCount.has(account);
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

  signed(thread: number, views: Views, at: number, account: number): void {
    const number = connectionOf(views, at);
    if (number !== 0) this.#everConnected[account] = 1;
    if (recordKind(views, at) === SET_CANCEL_ON_DISCONNECT) this.#onNewName(account);
    const connection = number === 0 ? undefined : this.#connections[thread]!.get(number);
    if (connection === undefined || connection.signed.has(account)) return;
    const others = this.#connectionCount.get(account) ?? 0;
    if (others > 0 && this.#pairs >= this.#most) return;
    connection.signed.add(account);
    this.#pairs++;
    this.#connectionCount.set(account, others + 1);
    if (this.#isNamed(account, ANY)) this.#pendingUpdates.set(account, START);
  }

  /** `send` returns false without room. A named but unknown connection counts as gone once all rings are taken to that time. */
  sendUpdates(send: (record: Views) => boolean): void {
    const { enabled, goneAt } = this.#state.safety;
    for (const [account, ends] of this.#pendingUpdates) {
      const id = this.#nameOf(account);
      const named = this.#byId.get(id);
      named?.named.add(account);
      const isHere = id === ANY ? this.#connectionCount.has(account) || this.#everConnected[account] === 0 : named !== undefined;
      if (!isHere && !ends.every((end, thread) => this.#rings[thread]!.hasTaken(end))) continue;
      const isToldGone = goneAt[account] !== 0;
      if (enabled[account] !== 0 && isHere === isToldGone) {
        if (!send(presenceRecord(isHere ? RECONNECTED : DISCONNECTED, account, id))) return;
      }
      this.#pendingUpdates.delete(account);
    }
  }

  /** The account's number may be reused. */
  forget(account: number): void {
    this.#everConnected[account] = 0;
    this.#pendingUpdates.delete(account);
    if (!this.#connectionCount.delete(account)) return;
    for (const { signed } of this.#byId.values()) if (signed.delete(account)) this.#pairs--;
  }

  #removePair(account: number): void {
    this.#pairs--;
    const left = this.#connectionCount.get(account)! - 1;
    if (left > 0) return void this.#connectionCount.set(account, left);
    this.#connectionCount.delete(account);
    if (this.#isNamed(account, ANY)) this.#pendingUpdates.set(account, START);
  }

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
