// Faults of a thread, in a process of their own because its lines go to standard error: all are counted, and a storm of them is
// throttled.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { BOUNDS } from '../../../../shell/http/limits.ts';

const urlOf = (name: string): string => new URL(`../../../../shell/process/observability/${name}.ts`, import.meta.url).href;
const FLAGS = ['--disable-warning=ExperimentalWarning', '--input-type=module'];
const STORM = `
  import { Faults } from '${urlOf('faults')}';
  import { logAs } from '${urlOf('log')}';
  logAs('json', 'api 0');
  const faults = new Faults('api 0');
  faults.report('route', new Error('the first\\nin two lines'), 'an-id');
  for (let i = 1; i < 3 * ${BOUNDS.faultLines}; i++) faults.report('route', 'another');
  const mayLog = faults.mayLog();
  faults.beginSecond();
  faults.report('route', 'of the next second');
  console.log(JSON.stringify([faults.count, mayLog]));`;

test('a fault is logged in a line with stack and request id; of a storm 20 a second are logged, all counted', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [...FLAGS, '-e', STORM], { encoding: 'utf8' });
  const lines = stderr.trim().split('\n').map((line) => JSON.parse(line) as { event: string; text: string; request_id?: string });
  assert.deepEqual(JSON.parse(stdout), [3 * BOUNDS.faultLines + 1, false], stderr);
  assert.equal(lines.length, BOUNDS.faultLines + 1);
  assert.ok(lines.every(({ event }) => event === 'fault'));
  assert.match(lines[0]!.text, /^fault in api 0, route: Error: the first \| in two lines \| +at /);
  assert.deepEqual(lines.map(({ request_id: id }) => id), ['an-id', ...lines.slice(1).map(() => undefined)]);
  assert.equal(lines.at(-1)!.text, 'fault in api 0, route: of the next second');
});
