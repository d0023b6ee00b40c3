// The faults of the cluster run. Each breaks something, waits for what must follow, and mends it.

import { setTimeout as sleep } from 'node:timers/promises';
import { BROKERS } from '../brokers.ts';
import { keyOf, type Node } from './nodes.ts';
import type { Scene } from './scene.ts';

type Fault = {
  readonly name: string;
  /** Another process must lead then. */
  readonly takesOver: boolean;
  /** It takes seconds, so others are drawn three times as often. */
  readonly isLong?: boolean;
  /** Done only when it is named: NATS 2.9.10 may lose acknowledged messages by it, which halts every node. */
  readonly isByName?: boolean;
  /** It needs places.ts to isolate. */
  readonly isIsolated?: boolean;
  readonly act: (scene: Scene) => Promise<void>;
};

/** Longer than a takeover without its worst luck. */
const STOPPED_MS = [0, 1_500] as const;
const SHORT_MS = [100, 1_200] as const;
/** A pause that others may take for the end. */
const BLINK_MS = [1_200, 2_600] as const;
const BROKER_MS = [300, 4_000] as const;
/** The brokers choose another leader of the stream in less. */
const STREAM_MS = [6_000, 9_000] as const;
const LOW_BYTES = 600_000_000;
const NO_BYTES = 65_536;

async function stopped(scene: Scene, node: Node): Promise<void> {
  const key = keyOf(node);
  await scene.takeover(() => node.process.signal('SIGSTOP'));
  await scene.hold(...STOPPED_MS);
  node.process.signal('SIGCONT');
  await scene.untilDeposed(node, key);
}

async function cutOff(scene: Scene, cut: (node: Node) => void): Promise<void> {
  const { leader } = scene;
  const key = keyOf(leader);
  await scene.takeover(() => cut(leader));
  await scene.hold(...STOPPED_MS);
  scene.places.heal();
  await scene.untilDeposed(leader, key);
}

async function brokerPaused(scene: Scene, names: readonly string[], time: readonly [number, number]): Promise<void> {
  for (const name of names) scene.brokers.signal(name, 'SIGSTOP');
  await scene.hold(...time);
  for (const name of names) scene.brokers.signal(name, 'SIGCONT');
}

async function brokerKilled(
  scene: Scene, names: readonly string[], time: readonly [number, number], mend?: (name: string) => void,
): Promise<void> {
  await Promise.all(names.map((name) => scene.brokers.kill(name)));
  await scene.hold(...time);
  for (const name of names) {
    mend?.(name);
    scene.brokers.restart(name);
  }
}

/** The disk of a node has no more than `bytes` of room while `work` is done. */
async function withDisk(scene: Scene, name: string, bytes: number, work: () => Promise<void>): Promise<void> {
  scene.places.leave(name, bytes);
  try {
    await work();
  } finally {
    scene.places.leave(name, null);
  }
}

async function everythingKilled(scene: Scene): Promise<void> {
  const all = [...scene.nodes.running];
  await scene.takeover(async () => {
    await Promise.all([...all.map((node) => scene.nodes.kill(node)), ...BROKERS.map((name) => scene.brokers.kill(name))]);
    for (const name of BROKERS) scene.brokers.restart(name);
    for (const node of all) await scene.nodes.start(node);
  });
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'leader killed', takesOver: true, act: async (scene) => {
      const { leader } = scene;
      await scene.takeover(() => scene.nodes.kill(leader));
      await scene.nodes.start(leader);
    },
  },
  { name: 'leader paused until it is deposed', takesOver: true, act: (scene) => stopped(scene, scene.leader) },
  {
    name: 'leader stopped cleanly', takesOver: true, act: async (scene) => {
      const { leader } = scene;
      let stop: Promise<void> | null = null;
      await scene.takeover(() => { stop = scene.nodes.stop(leader); });
      await stop;
      await scene.nodes.start(leader);
    },
  },
  {
    name: 'leader and the broker that leads the stream killed', takesOver: true, isLong: true, act: async (scene) => {
      const { leader } = scene;
      const broker = await scene.streamLeader();
      await scene.takeover(() => Promise.all([scene.nodes.kill(leader), scene.brokers.kill(broker)]));
      scene.brokers.restart(broker);
      await scene.nodes.start(leader);
    },
  },
  {
    name: 'leader and a standby killed', takesOver: true, isLong: true, act: async (scene) => {
      const lost = [scene.leader, scene.oneOf(scene.standbys)];
      await scene.takeover(() => Promise.all(lost.map((node) => scene.nodes.kill(node))));
      for (const node of lost) await scene.nodes.start(node);
    },
  },
  {
    name: 'leader killed, and the next one as soon as it leads', takesOver: true, isLong: true, act: async (scene) => {
      const first = scene.leader;
      await scene.takeover(() => scene.nodes.kill(first));
      const second = scene.leader;
      await scene.takeover(() => scene.nodes.kill(second));
      for (const node of [first, second]) await scene.nodes.start(node);
    },
  },
  {
    name: 'leader paused, the next one too, and both go on', takesOver: true, isLong: true, act: async (scene) => {
      const first = scene.leader;
      const keys = [keyOf(first)];
      await scene.takeover(() => first.process.signal('SIGSTOP'));
      const second = scene.leader;
      keys.push(keyOf(second));
      await scene.takeover(() => second.process.signal('SIGSTOP'));
      for (const node of [first, second]) node.process.signal('SIGCONT');
      await scene.untilDeposed(first, keys[0]!);
      await scene.untilDeposed(second, keys[1]!);
    },
  },
  { name: 'all nodes and brokers killed', takesOver: true, isLong: true, act: everythingKilled },
  {
    name: 'leader cut off from the brokers', takesOver: true, isIsolated: true,
    act: (scene) => cutOff(scene, (node) => scene.cutFromBrokers(node)),
  },
  {
    name: 'leader hears nothing of the brokers, and they hear it', takesOver: true, isIsolated: true,
    act: (scene) => cutOff(scene, (node) => { for (const broker of BROKERS) scene.places.cutOneWay(broker, node.name); }),
  },
  {
    name: 'leader\'s disk low', takesOver: true, isIsolated: true, act: async (scene) => {
      const { leader } = scene;
      await withDisk(scene, leader.name, LOW_BYTES, () => scene.takeover(() => undefined));
    },
  },
  {
    name: 'leader\'s disk full', takesOver: true, isIsolated: true, act: async (scene) => {
      const { leader } = scene;
      leader.isHeld = true;
      await withDisk(scene, leader.name, NO_BYTES, () => scene.takeover(() => undefined));
      leader.isHeld = false;
    },
  },
  {
    name: 'leader killed while a standby is unfit to lead', takesOver: true, isLong: true, isIsolated: true, act: async (scene) => {
      const { leader } = scene;
      const unfit = scene.oneOf(scene.standbys);
      await withDisk(scene, unfit.name, LOW_BYTES, async () => {
        // The disk is looked at once a second.
        await sleep(1_500);
        await scene.takeover(() => scene.nodes.kill(leader));
      });
      if (scene.leader === unfit) throw new Error(`${unfit.name} has taken over with a low disk`);
      scene.count('unfit, so another node leads');
      await scene.nodes.start(leader);
    },
  },
  {
    name: 'standby killed', takesOver: false, act: async (scene) => {
      const standby = scene.oneOf(scene.standbys);
      await scene.nodes.kill(standby);
      await scene.hold(...SHORT_MS);
      await scene.nodes.start(standby);
    },
  },
  {
    name: 'standby paused', takesOver: false, act: async (scene) => {
      const standby = scene.oneOf(scene.standbys);
      standby.process.signal('SIGSTOP');
      await scene.hold(...BROKER_MS);
      standby.process.signal('SIGCONT');
    },
  },
  {
    name: 'leader paused for a moment', takesOver: false, act: async (scene) => {
      const { leader } = scene;
      leader.process.signal('SIGSTOP');
      await scene.hold(...SHORT_MS);
      leader.process.signal('SIGCONT');
    },
  },
  {
    name: 'leader paused about as long as others wait', takesOver: false, act: async (scene) => {
      const { leader } = scene;
      leader.process.signal('SIGSTOP');
      await scene.hold(...BLINK_MS);
      leader.process.signal('SIGCONT');
      await sleep(1_000);
    },
  },
  { name: 'a broker killed', takesOver: false, act: (scene) => brokerKilled(scene, [scene.oneOf(BROKERS)], SHORT_MS) },
  { name: 'a broker paused', takesOver: false, act: (scene) => brokerPaused(scene, [scene.oneOf(BROKERS)], BROKER_MS) },
  {
    name: 'the broker that leads the stream killed', takesOver: false, isLong: true,
    act: async (scene) => brokerKilled(scene, [await scene.streamLeader()], STREAM_MS),
  },
  {
    name: 'the broker that leads the stream paused', takesOver: false, isLong: true,
    act: async (scene) => brokerPaused(scene, [await scene.streamLeader()], STREAM_MS),
  },
  {
    name: 'two brokers paused', takesOver: false, isLong: true,
    act: (scene) => brokerPaused(scene, scene.otherBrokers(scene.oneOf(BROKERS)), BROKER_MS),
  },
  { name: 'all brokers killed', takesOver: false, isLong: true, act: (scene) => brokerKilled(scene, BROKERS, SHORT_MS) },
  {
    name: 'a broker comes back with an older copy of its store', takesOver: false, isLong: true,
    act: (scene) => {
      const name = scene.oneOf(BROKERS);
      return brokerKilled(scene, [name], SHORT_MS, () => scene.brokers.restore(name, scene.copyOf(name)));
    },
  },
  {
    name: 'a broker comes back with an empty disk', takesOver: false, isLong: true,
    act: (scene) => {
      const name = scene.oneOf(BROKERS);
      return brokerKilled(scene, [name], SHORT_MS, () => scene.brokers.restore(name, null));
    },
  },
  {
    name: 'a node joins, catches up, and is taken away', takesOver: false, isLong: true, act: async (scene) => {
      const node = await scene.nodes.add(scene.newName(), { more: ['--role', scene.random() < 0.5 ? 'replica' : 'standby'] });
      await scene.untilCaughtUp(node);
      scene.count('nodes that joined');
      const remove = (): Promise<void> => scene.nodes.remove(node);
      await (scene.leader === node ? scene.takeover(remove) : remove());
    },
  },
  {
    name: 'two nodes of one name', takesOver: false, isLong: true, act: async (scene) => {
      const node = scene.oneOf(scene.standbys);
      const told = scene.untilEnded('node_name_in_use');
      const twin = await scene.nodes.add(scene.newName(), { called: node.name });
      twin.isHeld = true;
      await told;
      await scene.nodes.remove(twin);
    },
  },
  {
    name: 'a broker cut off from the others', takesOver: false, isByName: true, isIsolated: true, act: async (scene) => {
      const name = scene.random() < 0.5 ? await scene.streamLeader() : scene.oneOf(BROKERS);
      for (const other of scene.otherBrokers(name)) scene.places.cut(name, other);
      await scene.hold(...BROKER_MS);
      scene.places.heal();
    },
  },
  {
    name: 'the broker that leads the stream cut off from everyone', takesOver: false, isByName: true, isIsolated: true,
    act: async (scene) => {
      const name = await scene.streamLeader();
      for (const other of [...scene.otherBrokers(name), ...scene.nodes.all.map((node) => node.name)]) scene.places.cut(name, other);
      await scene.hold(...STREAM_MS);
      scene.places.heal();
    },
  },
  {
    name: 'standby cut off from the brokers', takesOver: false, isIsolated: true, act: async (scene) => {
      scene.cutFromBrokers(scene.oneOf(scene.standbys));
      await scene.hold(...BROKER_MS);
      scene.places.heal();
    },
  },
  {
    name: 'standby\'s disk full', takesOver: false, isIsolated: true, act: async (scene) => {
      const standby = scene.oneOf(scene.standbys);
      standby.isHeld = true;
      await withDisk(scene, standby.name, NO_BYTES, () => scene.hold(...BLINK_MS));
      standby.isHeld = false;
    },
  },
  {
    name: 'a broker\'s disk full', takesOver: false, isLong: true, isIsolated: true, act: async (scene) => {
      const name = scene.random() < 0.5 ? await scene.streamLeader() : scene.oneOf(BROKERS);
      await withDisk(scene, name, NO_BYTES, () => scene.hold(...BLINK_MS));
      // It may have given its store up, which a start mends.
      await brokerKilled(scene, [name], [0, 1]);
    },
  },
];
