// Tries every order of steps of a small world, or random orders of a larger one, and tells the steps to the first broken invariant.

import { checkPresent, startWorld, stepsOf, TICK_MS, type Bounds, type World } from './world.ts';

type Finding = { readonly broken: string; readonly steps: readonly string[] };
type Explored = { readonly states: number; readonly isComplete: boolean; readonly finding: Finding | null };

type Seen = { readonly world: World; readonly from: Seen | null; readonly step: string };

/** Breadth first, so a finding has as few steps as can be. */
export function exploreAll(bounds: Bounds, mostStates: number): Explored {
  const first: Seen = { world: startWorld(bounds), from: null, step: '' };
  const known = new Set([keyOf(first.world)]);
  let level = [first];
  while (level.length > 0) {
    const following: Seen[] = [];
    for (const seen of level) {
      for (const { name, take } of stepsOf(seen.world, bounds)) {
        const world = copy(seen.world);
        take(world);
        checkPresent(world, bounds);
        const next: Seen = { world, from: seen, step: name };
        if (world.broken !== null) return { states: known.size, isComplete: false, finding: { broken: world.broken, steps: path(next) } };
        const key = keyOf(world);
        if (known.has(key)) continue;
        known.add(key);
        following.push(next);
        if (known.size >= mostStates) return { states: known.size, isComplete: false, finding: null };
      }
    }
    level = following;
  }
  return { states: known.size, isComplete: true, finding: null };
}

function path(seen: Seen): string[] {
  const steps: string[] = [];
  for (let at: Seen | null = seen; at !== null && at.from !== null; at = at.from) steps.unshift(at.step);
  return steps;
}

/** `random`: a number from 0 to below its argument. Ends with `settle` steps without faults. */
export function walk(bounds: Bounds, length: number, random: (below: number) => number): { world: World; finding: Finding | null } {
  const world = startWorld(bounds);
  const steps: string[] = [];
  for (let count = 0; count < length; count++) {
    const open = stepsOf(world, bounds);
    const { name, take } = open[random(open.length)]!;
    steps.push(name);
    take(world);
    checkPresent(world, bounds);
    if (world.broken !== null) return { world, finding: { broken: world.broken, steps } };
  }
  return { world, finding: null };
}

function copy(world: World): World {
  return {
    ...world, log: [...world.log], flights: [...world.flights], arriving: [...world.arriving], chain: [...world.chain],
    kinds: new Map(world.kinds), used: { ...world.used },
    nodes: world.nodes.map((node) => {
      const { replica } = node;
      const { reader, append } = replica;
      return {
        ...node, chain: [...node.chain],
        replica: {
          ...replica, reader: { ...reader, accepted: new Map(reader.accepted) }, append: { ...append, sent: [...append.sent] },
          waiting: { ...replica.waiting },
        },
      };
    }),
  };
}

/**
 * What can still make a difference. Of times that is whether they are within the lease, or within the wait before a takeover. Publishes are
 * numbered back from the next one, so that states that differ by attempts alone are one.
 */
function keyOf(world: World): string {
  const ago = (time: number, most: number): number => Math.min((world.now - time) / TICK_MS, most);
  const nodes = world.nodes.map(({ replica, chain, saved, asked, instance }) => {
    const { reader, append, waiting } = replica;
    const common = `${chain.length},${saved.length},${instance}`;
    if (replica.halted !== null) return `${common},${replica.halted.name}`;
    const back = (id: number): number => (asked === null ? 0 : Math.min(append.nextId - id, 4));
    const { pending, publish } = append;
    return [
      common, reader.next, reader.position, reader.head, reader.unreadable, reader.unknown, reader.owner?.node, reader.owner?.instance,
      asked === null ? '' : `${back(asked.ticket)}/${asked.count}`, publish === null ? '' : messageKey(publish.message),
      pending === null ? '' : `${pending.hash} ${append.sent.map(({ at, time, id }) => `${at}:${ago(time, 1)}:${back(id)}`).join()}`,
      pending === null ? '' : ago(append.lastSent, 1), replica.isLeading ? ago(replica.confirmed, 1) : ago(waiting.lastNews, 2) + 2,
      back(replica.confirmedId), replica.confirmedId < replica.wantedId, replica.isResigning,
    ].join();
  });
  const flights = world.flights.map((flight) => `${flight.node}${messageKey(flight.message)}${flight.isWaited}`);
  const arriving = world.arriving.map(({ node, id, result }) => (
    `${node}:${world.nodes[node]!.replica.append.publish?.id === id}:${JSON.stringify(result)}`
  ));
  return [
    world.log.map(messageKey).join(), flights.sort().join(), arriving.sort().join(), nodes.join(';'), world.answered,
    Object.values(world.used).join(), world.chain.at(-1),
  ].join('|');
}

function messageKey(message: { readonly hash: string; readonly at: number } | null | undefined): string {
  if (message === undefined) return '_';
  return message === null ? '?' : `${message.hash}@${message.at}`;
}
