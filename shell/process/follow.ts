// Main of a cluster's node until it leads: passes accepted frames to the follower, and prepares what the node would lead with.

import { stampRecord } from '../../core/codec/record.ts';
import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import { now } from './clock.ts';
import type { Config } from './config.ts';
import { fatal } from './fatal.ts';
import { areInForce, settingsFor } from './market.ts';
import type { FromCluster, ToCluster } from './threads/cluster-node.ts';
import type { Follower } from './threads/follower.ts';
import type { Thread } from './threads/thread.ts';
import { configureRecord } from './venue-commands.ts';

type Of<T> = FromCluster & { readonly type: T };

export function followLog(journal: Thread, follower: Follower, state: State, config: Config, lead: (epoch: number) => void): void {
  const post = (message: ToCluster): void => journal.post(message);
  const prepare = (): ToCluster => {
    const values = settingsFor(state, config);
    const { u8, u32, ...views } = configureRecord(values);
    const seq = state.clock[SEQ]! + 1;
    stampRecord({ u8, u32, ...views }, 0, seq, Math.max(now(), state.clock[TIME]!));
    const isAlike = seq === 1 || areInForce(state, values);
    return { type: 'prepared', lead: { first: seq, last: seq, bytes: u8.slice(0, u32[0]), digests: [], isAlike } };
  };
  journal.on<Of<'accepted'>>('accepted', ({ bytes }) => follower.push(bytes, () => post({ type: 'applied' })));
  journal.on<Of<'prepare'>>('prepare', ({ seq }) => { if (state.clock[SEQ] === seq) post(prepare()); });
  journal.on<Of<'leading'>>('leading', ({ epoch }) => follower.whenIdle(() => lead(epoch)));
  journal.on<Of<'over'>>('over', ({ reason }) => fatal('journal', new Error(`this node must start again: ${reason}`)));
}
