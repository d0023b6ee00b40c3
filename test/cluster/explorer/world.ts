// A log, messages under way and nodes that run the venue's own rules, as plain data: every step that the world could take next, and what
// must hold after each (the invariants of replication, I1 to I9).

import type { AppendResult } from '../../../shell/storage/replication/port.ts';
import type { Content, Message } from '../../../shell/storage/replication/message.ts';
import type { ResumePoint } from '../../../shell/storage/replication/reader-rule.ts';
import {
  canLead, canOffer, confirm, lead, mayAnswer, offer, onGap, onRead, onResult, onTick, resign, startReplica, ticket,
  type Effect, type Out, type Replica,
} from '../../../shell/storage/replication/replica.ts';

/** How often each thing may happen on one path. */
export type Bounds = {
  readonly nodes: number;
  /** Positions of the log. */
  readonly positions: number;
  readonly frames: number;
  readonly asks: number;
  readonly resigns: number;
  readonly crashes: number;
  /** Results that come as `unknown`; the append may land later. */
  readonly unknowns: number;
  /** Appends that the log has no room for. */
  readonly fulls: number;
  /** Reads whose bytes come wrong. */
  readonly misreads: number;
  /** Bytes of somebody else in the log. */
  readonly rogues: number;
  /** Appends that land although the log does not end where they expect. */
  readonly unchecked: number;
  /** Acknowledged messages at the end of the log that it loses. */
  readonly losses: number;
  readonly holes: number;
  /** Messages at the beginning of the log that leave it with age. */
  readonly cuts: number;
  /** The first node's clock stands still. */
  readonly isClockHeld: boolean;
  /** The first node leads from the start. */
  readonly isLed: boolean;
};

export const NOTHING: Bounds = {
  nodes: 2, positions: 4, frames: 0, asks: 0, resigns: 0, crashes: 0, unknowns: 0, fulls: 0, misreads: 0, rogues: 0, unchecked: 0,
  losses: 0, holes: 0, cuts: 0, isClockHeld: false, isLed: false,
};

type Flight = { readonly node: number; readonly id: number; readonly message: Message; readonly isWaited: boolean };
type Arriving = { readonly node: number; readonly id: number; readonly result: AppendResult };
/** A read that goes through the log: `count` messages were answered when it was picked up. */
type Ask = { readonly ticket: number; readonly count: number };

type Node = {
  replica: Replica;
  /** Hashes of what it has accepted, in order. */
  chain: string[];
  /** Its journal's newest frame, and how long the chain is with it. */
  saved: { from: ResumePoint; length: number };
  asked: Ask | null;
  instance: number;
};

type Used =
  | 'frames' | 'asks' | 'resigns' | 'crashes' | 'unknowns' | 'fulls' | 'misreads' | 'rogues' | 'unchecked' | 'losses' | 'holes' | 'cuts';

export type World = {
  now: number;
  /** Null: bytes that nobody can read; undefined: a hole. */
  log: (Message | null | undefined)[];
  flights: Flight[];
  arriving: Arriving[];
  nodes: Node[];
  /** The longest chain that any node has accepted. */
  chain: string[];
  kinds: Map<string, Message>;
  /** How long the chain must be to hold all frames whose outcome a client has got. */
  answered: number;
  used: Record<Used, number>;
  broken: string | null;
};

type Started = {
  readonly index: number; readonly instance: number; readonly from: ResumePoint; readonly firstPosition: number; readonly now: number;
};

type Step = { readonly name: string; readonly take: (world: World) => void };

export const TICK_MS = 1_000;
const ALL_FIT = { isApplied: true, isAlike: true, isSound: true };
const VERSIONS = { behaviour: 1, codec: 1 };
const BYTES = new Uint8Array(8);

/** Short names for contents, so that states compare quickly. */
const names = new Map<string, string>();

function hashOf({ prev, kind, node, instance, epoch, first }: Content): string {
  const text = `${prev} ${kind} ${node} ${instance} ${epoch} ${first}`;
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `h${names.size}`;
  names.set(text, name);
  return name;
}

export function startWorld(bounds: Bounds): World {
  const from: ResumePoint = { position: 0, hash: 'start', seq: 0, epoch: 0, owner: null };
  const nodes = Array.from({ length: bounds.nodes }, (_, index): Node => ({
    replica: start({ index, instance: 0, from, firstPosition: 1, now: 0 }), chain: [], saved: { from, length: 0 }, asked: null, instance: 0,
  }));
  const used = {
    frames: 0, asks: 0, resigns: 0, crashes: 0, unknowns: 0, fulls: 0, misreads: 0, rogues: 0, unchecked: 0, losses: 0, holes: 0, cuts: 0,
  };
  const world: World = {
    now: 0, log: [], flights: [], arriving: [], nodes, chain: [], kinds: new Map(), answered: 0, used, broken: null,
  };
  const first = bounds.isLed ? ['n0 tries to lead', 'lead of n0 for 1 lands', 'n0 gets a result', 'n1 reads 1'] : [];
  for (const wanted of first) stepsOf(world, bounds).find(({ name }) => name === wanted)!.take(world);
  return world;
}

/** Where a read from `position` on finds a message; 0: nowhere. */
function nextIn({ log }: World, position: number): number {
  return log.findIndex((message, index) => index >= position - 1 && message !== undefined) + 1;
}

function start({ index, instance, from, firstPosition, now }: Started): Replica {
  const me = { node: `n${index}`, instance: `${instance}` };
  return startReplica({ me, versions: VERSIONS, hashOf, from, firstPosition, heard: 0, now });
}

/** Every step that may come next. */
export function stepsOf(world: World, bounds: Bounds): Step[] {
  const steps: Step[] = [{ name: 'a second passes', take: (next) => { next.now += TICK_MS; } }];
  const may = (what: keyof World['used']): boolean => world.used[what] < bounds[what];
  world.flights.forEach((flight, index) => flightSteps(world, bounds, flight, index, steps));
  world.arriving.forEach(({ node }, index) => {
    steps.push({ name: `n${node} gets a result`, take: (next) => arrive(next, index, bounds) });
  });
  world.nodes.forEach((_, index) => nodeSteps(world, bounds, index, steps));
  if (may('rogues') && world.log.length < bounds.positions) {
    steps.push({ name: 'somebody else appends', take: (next) => { next.used.rogues++; next.log.push(null); } });
  }
  if (may('losses') && world.log.length > 0) {
    steps.push({ name: 'the log loses its end', take: (next) => { next.used.losses++; next.log.pop(); } });
  }
  if (may('cuts') && world.log.length > 0) {
    const at = nextIn(world, 1);
    // Long after the nodes have read it, unless something follows.
    const isOld = at < world.log.length || world.nodes.every(({ replica }) => replica.reader.position >= at);
    if (at > 0 && isOld) steps.push({ name: `position ${at} leaves with age`, take: (next) => cut(next, at) });
  }
  if (may('holes') && world.log.length > 1) {
    const at = world.log.length - 2;
    steps.push({ name: `position ${at + 1} is gone`, take: (next) => { next.used.holes++; next.log[at] = undefined; } });
  }
  return steps;
}

function cut(world: World, at: number): void {
  world.used.cuts++;
  world.log[at - 1] = undefined;
}

function flightSteps(world: World, bounds: Bounds, flight: Flight, index: number, steps: Step[]): void {
  const { message, node, isWaited } = flight;
  const isNext = message.at === world.log.length + 1;
  const name = `${message.kind} of n${node} for ${message.at}`;
  if (isNext && world.log.length < bounds.positions) steps.push({ name: `${name} lands`, take: (next) => land(next, index) });
  if (!isNext) steps.push({ name: `${name} is refused`, take: (next) => end(next, index, { type: 'refused', last: next.log.length }) });
  if (!isNext && world.used.unchecked < bounds.unchecked && world.log.length < bounds.positions) {
    steps.push({ name: `${name} lands elsewhere`, take: (next) => { next.used.unchecked++; land(next, index); } });
  }
  if (isWaited && world.used.fulls < bounds.fulls) {
    steps.push({ name: `${name} has no room`, take: (next) => { next.used.fulls++; end(next, index, { type: 'full' }); } });
  }
  if (isWaited && world.used.unknowns < bounds.unknowns) {
    steps.push({ name: `${name} has no answer`, take: (next) => loseAnswer(next, index) });
  }
}

function land(world: World, index: number): void {
  world.log.push(world.flights[index]!.message);
  end(world, index, { type: 'accepted', position: world.log.length });
}

/** The broker is done with it. */
function end(world: World, index: number, result: AppendResult): void {
  const [flight] = world.flights.splice(index, 1);
  if (flight!.isWaited) world.arriving.push({ node: flight!.node, id: flight!.id, result });
}

function loseAnswer(world: World, index: number): void {
  const flight = world.flights[index]!;
  world.used.unknowns++;
  world.flights[index] = { ...flight, isWaited: false };
  world.arriving.push({ node: flight.node, id: flight.id, result: { type: 'unknown' } });
}

function nodeSteps(world: World, bounds: Bounds, index: number, steps: Step[]): void {
  const { replica, instance, asked } = world.nodes[index]!;
  const may = (what: keyof World['used']): boolean => world.used[what] < bounds[what];
  const add = (name: string, act: (node: Node, now: number, out: Out, next: World) => void): void => {
    steps.push({ name: `n${index} ${name}`, take: (next) => run(next, bounds, index, act) });
  };
  if (may('crashes') && world.log.length > 0) {
    steps.push({ name: `n${index} starts again`, take: (next) => crash(next, index, instance + 1) });
  }
  if (replica.halted !== null) return;
  const now = clockOf(world, bounds, index);
  const { next: position } = replica.reader;
  const isThere = nextIn(world, position) > 0;
  if (isThere) add(`reads ${position}`, (node, time, out, next) => read(node, next, time, out));
  if (isThere && may('misreads')) {
    add(`misreads ${position}`, (node, time, out, next) => { next.used.misreads++; onRead(node.replica, position, null, time, out); });
  }
  if (replica.append.pending !== null || replica.reader.unreadable > 0) add('ticks', (node, time, out) => onTick(node.replica, time, out));
  if (canLead(replica, now, ALL_FIT) && world.log.length < bounds.positions) add('tries to lead', (node, time, out) => {
    const seq = node.replica.reader.seq + 1;
    lead(node.replica, { first: seq, last: seq, bytes: BYTES, digests: [] }, time, out);
  });
  if (canOffer(replica) && may('frames')) add('has a frame', (node, time, out, next) => {
    next.used.frames++;
    const seq = node.replica.reader.seq + 1;
    offer(node.replica, { first: seq, last: seq, bytes: BYTES, digests: [] }, time, out);
  });
  if (replica.isLeading && !replica.isResigning && may('resigns')) {
    add('resigns', (node, time, out, next) => { next.used.resigns++; resign(node.replica, time, out); });
  }
  if (replica.isLeading && !replica.isResigning && asked === null && may('asks')) add('is asked', (node, time, out, next) => {
    next.used.asks++;
    node.asked = { ticket: ticket(node.replica), count: next.answered };
    confirm(node.replica, node.asked.ticket, time, out);
  });
}

function read(node: Node, world: World, now: number, out: Out): void {
  const { next } = node.replica.reader;
  const message = world.log[next - 1];
  if (message === undefined) onGap(node.replica, next, nextIn(world, next), out);
  else onRead(node.replica, next, message, now, out);
}

function clockOf(world: World, { isClockHeld }: Bounds, index: number): number {
  return isClockHeld && index === 0 ? 0 : world.now;
}

type Act = (node: Node, now: number, out: Out, world: World) => void;

function run(world: World, bounds: Bounds, index: number, act: Act): void {
  const out: Out = [];
  act(world.nodes[index]!, clockOf(world, bounds, index), out, world);
  for (const effect of out) carryOut(world, bounds, index, effect);
}

function arrive(world: World, at: number, bounds: Bounds): void {
  const [{ node, id, result }] = world.arriving.splice(at, 1) as [Arriving];
  run(world, bounds, node, ({ replica }, now, out) => onResult(replica, id, result, now, out));
}

function crash(world: World, index: number, instance: number): void {
  world.used.crashes++;
  const node = world.nodes[index]!;
  const { from, length } = node.saved;
  const firstPosition = nextIn(world, 1) === 0 ? world.log.length + 1 : nextIn(world, 1);
  node.replica = start({ index, instance, from, firstPosition, now: world.now });
  node.chain.length = length;
  node.asked = null;
  node.instance = instance;
  world.flights = world.flights.map((flight) => (flight.node === index ? { ...flight, isWaited: false } : flight));
  world.arriving = world.arriving.filter((each) => each.node !== index);
}

function carryOut(world: World, bounds: Bounds, index: number, effect: Effect): void {
  const node = world.nodes[index]!;
  if (effect.type === 'publish') {
    world.flights.push({ node: index, id: effect.id, message: effect.message, isWaited: true });
  } else if (effect.type === 'accepted') {
    const { message, position } = effect;
    node.chain.push(message.hash);
    compareChains(world, node.chain, message);
    if (message.first > 0) {
      const { seq, epoch, owner } = node.replica.reader;
      node.saved = { from: { position, hash: message.hash, seq, epoch, owner }, length: node.chain.length };
    }
    if (message.kind === 'frame' && effect.isOwn) world.answered = Math.max(world.answered, node.chain.length);
  } else if (effect.type === 'halted') {
    const { misreads, losses, holes, unchecked, cuts } = bounds;
    if (misreads + losses + holes + unchecked + cuts === 0) world.broken ??= `I9: n${index} halts without a fault: ${effect.halt.name}`;
  }
}

/** I1, I4 and I5 over everything that any node has ever accepted. */
function compareChains(world: World, chain: string[], message: Message): void {
  const at = chain.length - 1;
  const other = world.chain[at];
  if (other === message.hash) return;
  // What a broker loses is told by a halt (I8), which `settled` looks at.
  if (other !== undefined) {
    if (world.used.losses === 0) world.broken ??= `I1: chains differ at their message ${at + 1}`;
    return;
  }
  const before = world.chain[at - 1];
  const last = before === undefined ? null : world.kinds.get(before)!;
  if (world.used.losses > 0) return void world.chain.push(message.hash);
  const epoch = (last?.epoch ?? 0) + (message.kind === 'lead' ? 1 : 0);
  if (message.epoch !== epoch) world.broken ??= `I4: epoch ${message.epoch} after ${last?.epoch}`;
  if (message.kind !== 'lead' && (last?.kind === 'resign' || last?.node !== message.node || last.instance !== message.instance)) {
    world.broken ??= `I4: epoch ${epoch} has two authors`;
  }
  world.chain.push(message.hash);
  world.kinds.set(message.hash, message);
}

/** The faults end: what is under way arrives, all nodes read on, somebody leads and appends a frame. Tells what does not hold then. */
export function settle(world: World, bounds: Bounds): string | null {
  const calm = { ...bounds, positions: Infinity, frames: world.used.frames + 1 };
  for (let round = 0; round < 40 && world.broken === null; round++) {
    while (world.flights.length > 0) {
      if (world.flights[0]!.message.at === world.log.length + 1) land(world, 0);
      else end(world, 0, { type: 'refused', last: world.log.length });
    }
    while (world.arriving.length > 0) arrive(world, 0, calm);
    world.nodes.forEach((_, index) => {
      run(world, calm, index, (node, now, out) => {
        while (node.replica.halted === null && nextIn(world, node.replica.reader.next) > 0) read(node, world, now, out);
        onTick(node.replica, now, out);
      });
    });
    const isLed = world.nodes.some(({ replica }) => replica.isLeading);
    const wanted = isLed ? ' has a frame' : ' tries to lead';
    const steps = stepsOf(world, calm).filter(({ name }) => name.endsWith(wanted));
    steps[0]?.take(world);
    world.now += TICK_MS;
  }
  return world.broken ?? faultOf(world, calm);
}

function faultOf({ nodes, used, log }: World, calm: Bounds): string | null {
  const alive = nodes.filter(({ replica }) => replica.halted === null);
  const chains = new Set(nodes.map(({ chain }) => chain.join()));
  // I8: what a broker lost is told by a halt.
  if (used.losses + used.holes + used.unchecked + used.misreads + used.cuts > 0) {
    return used.losses > 0 || alive.length < nodes.length || chains.size === 1 ? null : 'nodes differ, and none has halted';
  }
  if (used.rogues > 0 && log.at(-1) === null) return null;
  if (chains.size > 1) return 'nodes that read to the end differ';
  return used.frames === calm.frames ? null : 'nobody leads, or a leader cannot append';
}

/** I6: an answer of a node about the present includes every frame that was answered before. */
export function checkPresent(world: World, bounds: Bounds): void {
  if (world.used.losses > 0) return;
  world.nodes.forEach((node, index) => {
    const { replica, chain, asked } = node;
    // A machine that was suspended breaks every lease; reads through the log need no clock.
    const isHeld = bounds.isClockHeld && index === 0;
    if (!isHeld && mayAnswer(replica, world.now) && chain.length < world.answered) {
      world.broken ??= `I6: n${index} answers within its lease and lacks an answered frame`;
    }
    if (asked === null) return;
    if (replica.isLeading && replica.confirmedId >= asked.ticket) {
      if (chain.length < asked.count) world.broken ??= `I6: n${index} answers through the log and lacks an answered frame`;
      node.asked = null;
    } else if (!replica.isLeading) {
      node.asked = null;
    }
  });
}
