// What a doorbell is rung by: pipes that leave no name behind, ports where there are none, calls that go nowhere else.

import assert from 'node:assert/strict';
import { existsSync, fstatSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessagePort } from 'node:worker_threads';
import { callerOn, createWire, hearOn, withPipes, type WireEnd } from '../../shell/transport/bell-wire.ts';

function pipeWire(callers: number): ReturnType<typeof createWire> {
  return withPipes(1, (paths) => createWire(callers, paths![0]!));
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; !condition(); i++) {
    assert.ok(i < 5_000, 'it never came to be so');
    await sleep(1);
  }
}

function isOpen(end: WireEnd): boolean {
  try {
    fstatSync(end as number);
    return true;
  } catch {
    return false;
  }
}

test('the paths of pipes are gone afterwards, also when their use throws; what was opened stays', () => {
  let folder = '';
  const { hearing, calling } = withPipes(2, (paths) => {
    folder = dirname(paths![0]!);
    assert.deepEqual(readdirSync(folder).sort(), ['0', '1']);
    return createWire(1, paths![1]!);
  });
  assert.equal(existsSync(folder), false);
  for (const end of [...hearing, ...calling]) assert.ok(fstatSync(end as number).isFIFO());
  assert.throws(() => withPipes(1, (paths) => {
    folder = dirname(paths![0]!);
    throw new Error('of the use');
  }), /of the use/);
  assert.equal(existsSync(folder), false);
});

test('without mkfifo, and without a folder to make them in, there are ports', async (t) => {
  for (const [name, value] of [['PATH', '/nowhere'], ['TMPDIR', '/nowhere']] as const) {
    const before = process.env[name];
    t.after(() => (before === undefined ? delete process.env[name] : process.env[name] = before));
    process.env[name] = value;
    const { hearing, calling } = withPipes(1, (paths) => createWire(2, paths === null ? null : paths[0]!));
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
    assert.deepEqual([...hearing, ...calling].map((end) => end instanceof MessagePort), [true, true, true, true]);
    let heard = 0;
    const closings = hearing.map((end) => hearOn(end, () => (heard += 1)));
    const callers = calling.map(callerOn);
    for (const caller of callers) caller.call();
    await until(() => heard === 2);
    for (const close of closings) close();
  }
});

test('every call is heard, several at once at least once, by whichever end', async () => {
  const { hearing: [end], calling } = pipeWire(3);
  let heard = 0;
  const close = hearOn(end!, () => (heard += 1));
  const callers = calling.map(callerOn);
  for (const caller of callers) {
    const before = heard;
    caller.call();
    await until(() => heard > before);
  }
  const before = heard;
  for (let i = 0; i < 200; i++) for (const caller of callers) caller.call();
  await until(() => heard > before);
  close();
});

test('once nobody hears any more, calls go nowhere: not into a file that has the number next', async () => {
  const { hearing: [end], calling: [caller] } = pipeWire(1);
  let heard = 0;
  const close = hearOn(end!, () => (heard += 1));
  close();
  close();
  await until(() => !isOpen(end!));
  const other = pipeWire(1);
  assert.ok([...other.hearing, ...other.calling].includes(end!), 'the number is given again');
  let strays = 0;
  const closeOther = hearOn(other.hearing[0]!, () => (strays += 1));
  callerOn(caller!).call();
  await sleep(20);
  assert.deepEqual([heard, strays], [0, 0]);
  callerOn(other.calling[0]!).call();
  await until(() => strays === 1);
  closeOther();
});
