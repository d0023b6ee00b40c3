// What every engine behind the port of the replicated log promises, shown on the log in memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeLog } from './fake-log.ts';

test('an append at the end is accepted at the next position and read there, one elsewhere is refused with the end', async () => {
  const log = new FakeLog().port();
  assert.deepEqual(await log.read(1), { type: 'notYet' });
  assert.deepEqual(await log.append(Uint8Array.of(1), 0), { type: 'accepted', position: 1 });
  assert.deepEqual(await log.append(Uint8Array.of(2), 0), { type: 'refused', last: 1 });
  assert.deepEqual(await log.append(Uint8Array.of(3), 2), { type: 'refused', last: 1 });
  assert.deepEqual(await log.append(Uint8Array.of(4), 1), { type: 'accepted', position: 2 });
  assert.deepEqual(await log.read(2), { type: 'message', bytes: Uint8Array.of(4) });
});

test('members hear of news and of heartbeats', async () => {
  const shared = new FakeLog();
  const [one, two] = [shared.port(), shared.port()];
  const heard: string[] = [];
  two.onNews(() => heard.push('news'));
  two.onHeartbeat((heartbeat) => heard.push(`heartbeat ${heartbeat[0]}`));
  await one.append(Uint8Array.of(1), 0);
  one.say(Uint8Array.of(7));
  assert.deepEqual(heard, ['news', 'heartbeat 7']);
});
