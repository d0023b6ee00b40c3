// Whether this node of a cluster takes writes and may answer about the present. A process that is the venue itself always does both: one
// compare of a number.

import { ROLES, type ClusterStatus } from '../ipc/cluster-status.ts';
import type { Counter, SharedCounters } from '../ipc/counters.ts';
import { SharedValue, type SharedValueDescription } from '../ipc/shared-value.ts';
import { refuse, type Refused } from '../http/errors.ts';
import type { CounterName } from '../process/wiring.ts';

/** For as long after `confirmed` nobody else can lead. */
const LEASE_MS = 1_000;

export const NO_QUORUM = refuse('no_quorum', 'The log accepts nothing at the moment: send the same request again');

export class Leadership {
  readonly #role: Counter;
  readonly #confirmed: Counter;
  readonly #quorum: Counter;
  readonly #status: SharedValue<ClusterStatus>;
  readonly #steady: () => number;

  constructor(counters: SharedCounters<CounterName>, status: SharedValueDescription, steady: () => number) {
    this.#role = counters.counter('role');
    this.#confirmed = counters.counter('confirmed');
    this.#quorum = counters.counter('quorum');
    this.#status = new SharedValue(status);
    this.#steady = steady;
  }

  get role(): number {
    return this.#role.load();
  }

  /** Null in a process that is the venue itself. */
  status(): ClusterStatus | null {
    return this.role === ROLES.alone ? null : this.#status.read();
  }

  refuseWrite(): Refused | null {
    const { role } = this;
    if (role === ROLES.alone) return null;
    if (role === ROLES.leader) return this.#quorum.load() === 0 ? null : NO_QUORUM;
    const leader = this.#status.read()?.leader ?? '';
    const told = leader === '' ? 'another node may' : leader;
    return { ...refuse('not_leader', `This node does not lead: ${told}`), extra: { leader: leader === '' ? null : leader } };
  }

  /** This node takes writes now. */
  leads(): boolean {
    return this.refuseWrite() === null && this.mayAnswer();
  }

  /** A leader that has not heard from the log for a second cannot tell whether it still leads. */
  mayAnswer(): boolean {
    if (this.role !== ROLES.leader) return true;
    return ((Math.floor(this.#steady()) - this.#confirmed.load()) | 0) < LEASE_MS;
  }
}
