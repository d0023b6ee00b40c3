// A node of a cluster in its journal thread: runs the rules with a timer, saves where the log is taken up again, and shows the other
// threads whether this node leads, and until when its answers are current.

import { randomBytes } from 'node:crypto';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import type { Counter } from '../../ipc/counters.ts';
import { LOG_STATES, ROLES, type ClusterStatus } from '../../ipc/cluster-status.ts';
import type { SharedValue } from '../../ipc/shared-value.ts';
import { connectBrokers, JetStreamLog } from '../../storage/replication/jetstream.ts';
import { CatchUp } from '../../storage/replication/catch-up.ts';
import { ClusterLog, type PreparedLead } from '../../storage/replication/cluster-log.ts';
import { LEASE_MS } from '../../storage/replication/confirmed.ts';
import { KnownFrames } from '../../storage/replication/known-frames.ts';
import { isPresent } from '../../storage/replication/heartbeat.ts';
import { LogNode } from '../../storage/replication/log-node.ts';
import type { OfferedFrame } from '../../storage/replication/accepted-log.ts';
import { writeResume } from '../../storage/replication/resume-file.ts';
import { now, sharedSteady } from '../clock.ts';
import { log } from '../observability/log.ts';
import { brokerOptions } from '../broker-options.ts';
import type { ClusterConfig } from '../cluster-settings.ts';
import { clusterKey, type JoinedLog } from '../join-log.ts';

const TICK_MS = 100;
const BEAT_MS = 250;
const SAVE_MS = 1_000;
const MISSING_MS = 10_000;
const RESIGN_MS = 1_500;
const INSTANCE_BYTES = 8;

/** Messages to main. `prepare`: what would this node lead with after `seq`. `over`: end, another leads or the log is broken. */
export type FromCluster =
  | { readonly type: 'accepted'; readonly bytes: Uint8Array }
  | { readonly type: 'prepare'; readonly seq: number }
  | { readonly type: 'leading'; readonly epoch: number }
  | { readonly type: 'over'; readonly reason: string };
export type ToCluster = { readonly type: 'applied' } | { readonly type: 'prepared'; readonly lead: PreparedLead };

type Parts = {
  readonly cluster: ClusterConfig;
  readonly joined: JoinedLog;
  readonly dataFolder: string;
  readonly write: (frame: OfferedFrame) => void;
  readonly written: () => number;
  readonly wake: () => void;
  readonly isDiskSound: () => boolean;
  readonly post: (message: FromCluster) => void;
  readonly counters: { readonly [C in 'role' | 'behind' | 'confirmed' | 'quorum' | 'epoch' | 'position' | 'asked' | 'told']: Counter };
  readonly shown: SharedValue<ClusterStatus>;
};

export class ClusterNode {
  readonly log: ClusterLog;
  readonly #parts: Parts;
  readonly #node: LogNode;
  readonly #connection: { close(): Promise<void> };
  readonly #catchUp: CatchUp;
  readonly #timers: readonly NodeJS.Timeout[];
  #saved = '';
  #askedFor = -1;
  /** Reads that wait for the log: up to which, and what must be accepted. */
  #asked: { readonly count: number; readonly ticket: number } | null = null;
  #told = '';
  #onResigned: (() => void) | null = null;

  static async open(parts: Parts): Promise<ClusterNode> {
    const connection = await connectBrokers(brokerOptions(parts.cluster));
    return new ClusterNode(parts, connection);
  }

  private constructor(parts: Parts, connection: Awaited<ReturnType<typeof connectBrokers>>) {
    const { cluster, joined: { name, from, firstPosition, lastPosition, heard }, post, counters } = parts;
    this.#parts = parts;
    this.#connection = connection;
    this.#catchUp = new CatchUp(lastPosition);
    this.log = new ClusterLog(from, {
      ...parts, known: new KnownFrames(parts.dataFolder, from.seq + 1),
      toMain: (bytes) => post({ type: 'accepted', bytes }), leading: (epoch) => this.#leading(epoch),
      deposed: () => post({ type: 'over', reason: 'another node leads: this one has sequenced what the log does not have' }),
      resigned: () => this.#resigned(), halted: ({ name: why, detail }) => post({ type: 'over', reason: `${why}: ${detail}` }),
    });
    this.#node = new LogNode({
      log: new JetStreamLog(connection, name), identity: { venue: name.venue, key: clusterKey(cluster.keyFile) },
      me: { node: cluster.node, instance: randomBytes(INSTANCE_BYTES).toString('hex') }, versions: { behaviour: BEHAVIOUR, codec: CODEC },
      from, firstPosition, lastPosition, heard, owner: this.log, mayLead: cluster.role === 'standby', url: cluster.url,
      steady: sharedSteady, time: now,
    });
    this.log.join(this.#node);
    this.#showBehind();
    this.#publish();
    counters.role.store(ROLES.follower);
    this.#timers = [
      setInterval(() => this.#tick(), TICK_MS), setInterval(() => this.#node.beat(), BEAT_MS), setInterval(() => this.#save(), SAVE_MS),
    ];
  }

  take(message: ToCluster): void {
    if (message.type === 'applied') this.log.applied();
    else this.log.prepare(message.lead);
  }

  show(): void {
    const { confirmed, isLeading, isResigning } = this.#node.state;
    if (isLeading && !isResigning && Number.isFinite(confirmed)) this.#parts.counters.confirmed.store(Math.floor(confirmed) >>> 0);
  }

  /** Reads through the log. Call when there may be a new one, and when something was accepted. True: they may be answered. */
  tellReads(): boolean {
    const { asked, told } = this.#parts.counters;
    let isTold = false;
    if (this.#asked !== null && this.#node.confirmsSince(this.#asked.ticket)) {
      told.store(this.#asked.count);
      this.#asked = null;
      isTold = true;
    }
    const count = asked.load();
    if (this.#asked !== null || count === told.load() || !this.#node.isLeading) return isTold;
    this.#asked = { count, ticket: this.#node.ticket() };
    this.#node.confirmsSince(this.#asked.ticket);
    return isTold;
  }

  /** Gives the office up, so that another may lead at once. */
  async stop(): Promise<void> {
    if (this.#node.isLeading) {
      const resigned = new Promise<void>((resolve) => { this.#onResigned = resolve; });
      this.#resign();
      await Promise.race([resigned, new Promise((resolve) => setTimeout(resolve, RESIGN_MS))]);
    }
    for (const timer of this.#timers) clearInterval(timer);
    this.#node.close();
    this.#save();
    await this.#connection.close();
  }

  /** The next leader need not wait for the lease, so the lease ends first. */
  #resign(): void {
    this.#parts.counters.confirmed.store((Math.floor(sharedSteady()) - LEASE_MS) >>> 0);
    this.#node.resign();
  }

  #resigned(): void {
    if (this.#onResigned !== null) this.#onResigned();
    else this.#parts.post({ type: 'over', reason: 'the disk is nearly full or the clock is off the others\', so it leads no more' });
  }

  #leading(epoch: number): void {
    this.#publish();
    this.#parts.post({ type: 'leading', epoch });
  }

  #tick(): void {
    const { post, counters, isDiskSound } = this.#parts;
    // A leader resigns when its clock is off or its disk is full: another node may lead.
    if (this.#node.isLeading && (this.#node.isClockLongOff || !isDiskSound())) this.#resign();
    const seq = this.log.unprepared;
    if (seq !== null && seq !== this.#askedFor) {
      this.#askedFor = seq;
      post({ type: 'prepare', seq });
    }
    this.#node.tick();
    this.#tellMissing();
    counters.quorum.store(this.#logState());
    this.#showBehind();
    this.show();
    this.#publish();
    this.#parts.wake();
  }

  #showBehind(): void {
    const { reader: { next }, waiting: { heard } } = this.#node.state;
    this.#parts.counters.behind.store(this.#catchUp.left({ next, heard, isWritten: this.log.isWritten }));
  }

  #logState(): number {
    if (this.#node.isWithoutRoom) return LOG_STATES.full;
    return this.#node.hasQuorum ? LOG_STATES.ok : LOG_STATES.none;
  }

  /** What the log does not show although it was accepted; once. */
  #tellMissing(): void {
    const { missing, state: { waiting, reader } } = this.#node;
    const { beyond } = this.log;
    const more = beyond === null ? null : `this journal goes on to seq ${beyond}`;
    const why = missing === null ? more : `another node has accepted ${missing}`;
    if (why === null || why === this.#told || sharedSteady() - waiting.lastNews < MISSING_MS) return;
    this.#told = why;
    log('error', 'log', `the log shows nothing after position ${reader.position}, seq ${reader.seq}, and ${why}: this node does not lead`);
  }

  #publish(): void {
    const { cluster, counters, shown } = this.#parts;
    const { reader, isLeading } = this.#node.state;
    const { owner, epoch, position, seq } = reader;
    const at = sharedSteady();
    const peers = [...this.#node.peers.values()].map((peer) => ({
      node: peer.node, url: peer.url, role: peer.isLeading ? 'leader' : 'follower', epoch: peer.epoch, position: peer.position,
      seq: peer.seq, skewMs: peer.skewMs, isPresent: isPresent(peer, at),
    } as const));
    const leader = isLeading ? cluster.url : peers.find(({ node }) => node === owner?.node)?.url ?? '';
    counters.epoch.store(epoch >>> 0);
    counters.position.store(position >>> 0);
    const role = isLeading ? 'leader' : 'follower';
    shown.publish({ node: cluster.node, role, epoch, position, seq, leader, owner: owner?.node ?? null, peers });
  }

  #save(): void {
    const { dataFolder, joined: { name: { incarnation } } } = this.#parts;
    const { point } = this.log;
    const { heard } = this.#node.state.waiting;
    const text = `${point.position} ${heard}`;
    if (text === this.#saved) return;
    this.#saved = text;
    writeResume(dataFolder, { incarnation, point, heard });
  }
}
