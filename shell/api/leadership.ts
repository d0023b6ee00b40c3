// Whether this node of a cluster takes writes and may answer about the present. A process that is the venue itself always does both.

import { LOG_STATES, ROLES, type ClusterStatus } from '../ipc/cluster-status.ts';
import type { Counter, SharedCounters } from '../ipc/counters.ts';
import type { Ringer } from '../ipc/doorbell.ts';
import { SharedValue, type SharedValueDescription } from '../ipc/shared-value.ts';
import { refuse, type Refused } from '../http/errors.ts';
import type { CounterName } from '../process/wiring.ts';
import { LEASE_MS } from '../storage/replication/confirmed.ts';

export const NO_QUORUM = refuse('no_quorum', 'The log accepts nothing at the moment: send the same request again');
const LOG_FULL = refuse('log_full', 'The log has no room: its operator must give it more');

/** Longer than a read through the log takes. */
const ASK_MS = 2_000;

/** A read that waits until the log has told whether this node led when it was asked. */
type Asked = { readonly number: number; readonly until: number; readonly answer: () => void; readonly refuse: () => void };

type LeadershipParts = {
  readonly counters: SharedCounters<CounterName>;
  readonly status: SharedValueDescription;
  /** Shared by all threads. */
  readonly steady: () => number;
  /** Reads go through the log: wakes the thread that asks it. Null: a lease is enough. */
  readonly ringer: Pick<Ringer, 'ring' | 'close'> | null;
};

export class Leadership {
  readonly #role: Counter;
  readonly #confirmed: Counter;
  readonly #quorum: Counter;
  readonly #askedCount: Counter;
  readonly #told: Counter;
  readonly #status: SharedValue<ClusterStatus>;
  readonly #steady: () => number;
  readonly #ringer: LeadershipParts['ringer'];
  /** In the order of their numbers. */
  #asked: Asked[] = [];

  constructor({ counters, status, steady, ringer }: LeadershipParts) {
    this.#role = counters.counter('role');
    this.#confirmed = counters.counter('confirmed');
    this.#quorum = counters.counter('quorum');
    this.#askedCount = counters.counter('asked');
    this.#told = counters.counter('told');
    this.#status = new SharedValue(status);
    this.#steady = steady;
    this.#ringer = ringer;
  }

  get role(): number {
    return this.#role.load();
  }

  status(): ClusterStatus | null {
    return this.role === ROLES.alone ? null : this.#status.read();
  }

  refuseWrite(): Refused | null {
    const { role } = this;
    if (role === ROLES.alone) return null;
    if (role === ROLES.leader) return this.#refusalOfLog();
    const leader = this.#status.read()?.leader ?? '';
    const told = leader === '' ? 'another node may' : leader;
    return { ...refuse('not_leader', `This node does not lead: ${told}`), extra: { leader: leader === '' ? null : leader } };
  }

  tellLead(tell: (leads: boolean) => void): void {
    this.speak(() => tell(this.refuseWrite() === null), () => tell(false));
  }

  /** A leader that has not heard from the log for a second cannot tell whether it still leads. */
  #refusalOfLog(): Refused | null {
    const state = this.#quorum.load();
    if (state === LOG_STATES.ok) return null;
    return state === LOG_STATES.full ? LOG_FULL : NO_QUORUM;
  }

  /** Calls `answer` or `refuse`, at once or when the log has answered. */
  speak(answer: () => void, refuse: () => void): void {
    if (this.role !== ROLES.leader) return answer();
    if (this.#ringer === null) return this.#isWithinLease() ? answer() : refuse();
    this.#asked.push({ number: this.#askedCount.next(), until: this.#steady() + ASK_MS, answer, refuse });
    this.#ringer.ring();
  }

  get isThroughLog(): boolean {
    return this.#ringer !== null;
  }

  get waiting(): number {
    return this.#asked.length;
  }

  /** Call when the log may have answered, and several times a second. */
  look(): void {
    if (this.#asked.length === 0) return;
    const [told, now] = [this.#told.load(), this.#steady()];
    for (let first = this.#asked[0]; first !== undefined; first = this.#asked[0]) {
      const isTold = ((told - first.number) | 0) >= 0;
      if (!isTold && now < first.until) return;
      this.#asked.shift();
      if (isTold) first.answer();
      else first.refuse();
    }
  }

  close(): void {
    this.#ringer?.close();
  }

  #isWithinLease(): boolean {
    return ((Math.floor(this.#steady()) - this.#confirmed.load()) | 0) < LEASE_MS;
  }
}
