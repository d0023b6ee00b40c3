// What every engine behind the port of the replicated log promises: one suite for the log in memory and for real brokers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplicatedLog } from '../../shell/storage/replication/port.ts';

/** An empty log as two nodes see it, and how long to wait for what comes without a promise. */
type Opened = {
  readonly one: ReplicatedLog;
  readonly two: ReplicatedLog;
  readonly until: (isTrue: () => boolean) => Promise<boolean>;
};

type Work = (opened: Opened) => Promise<void>;

/** `run` gives the work a log of its own, and ends it. */
export function promises(name: string, run: (work: Work) => Promise<void>, options: object = {}): void {
  const promise = (what: string, work: Work): void => void test(`${name}: ${what}`, options, () => run(work));

  promise('an append at the end is accepted and read there, one elsewhere is refused with the end', async ({ one, two }) => {
    assert.deepEqual(await two.read(1), { type: 'notYet' });
    assert.deepEqual(await one.append(Uint8Array.of(1), 0), { type: 'accepted', position: 1 });
    assert.deepEqual(await two.append(Uint8Array.of(2), 0), { type: 'refused', last: 1 });
    assert.deepEqual(await two.append(Uint8Array.of(3), 2), { type: 'refused', last: 1 });
    assert.deepEqual(await two.append(Uint8Array.of(4), 1), { type: 'accepted', position: 2 });
    assert.deepEqual(await readBytes(one, 2), [4]);
    assert.deepEqual(await readBytes(two, 1), [1]);
    assert.deepEqual(await one.read(3), { type: 'notYet' });
  });

  promise('the same bytes may be appended twice, each at its own position', async ({ one }) => {
    assert.deepEqual(await one.append(Uint8Array.of(7), 0), { type: 'accepted', position: 1 });
    assert.deepEqual(await one.append(Uint8Array.of(7), 1), { type: 'accepted', position: 2 });
    assert.deepEqual(await one.append(Uint8Array.of(7), 1), { type: 'refused', last: 2 });
  });

  promise('a message of the largest frame comes back whole', async ({ one, two }) => {
    const bytes = new Uint8Array(264_000).map((_, at) => at * 31);
    assert.deepEqual(await one.append(bytes, 0), { type: 'accepted', position: 1 });
    assert.deepEqual(await readBytes(two, 1), [...bytes]);
  });

  promise('nodes hear of news and of heartbeats', async ({ one, two, until }) => {
    const heard = new Set<string>();
    two.onNews(() => heard.add('news'));
    two.onHeartbeat((heartbeat) => heard.add(`heartbeat ${heartbeat.join()}`));
    // A listener that was just added may not be known everywhere yet.
    assert.ok(await until(() => {
      one.say(Uint8Array.of(7, 8));
      return heard.has('heartbeat 7,8');
    }));
    assert.deepEqual(await one.append(Uint8Array.of(1), 0), { type: 'accepted', position: 1 });
    assert.ok(await until(() => heard.has('news')));
  });
}

async function readBytes(log: ReplicatedLog, position: number): Promise<number[]> {
  const result = await log.read(position);
  assert.equal(result.type, 'message');
  return [...(result as { bytes: Uint8Array }).bytes];
}
