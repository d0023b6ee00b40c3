// `npm run demo` and `npm run order` as they are typed: a living market within ten seconds, money that adds up, a clean end
// by itself and by Ctrl-C, and one line for what the order script cannot do.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = (name: string): string => fileURLToPath(new URL(`../../scripts/${name}.ts`, import.meta.url));
const LIVELY_WITHIN_S = 10;

test('the demo trades within ten seconds, what it shows adds up, and it ends cleanly', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script('demo'), '--seconds', '6'], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  const lines = stdout.split('\n').filter((line) => line.includes('orders/s'));
  const lively = lines.findIndex((line) => Number(/ ([0-9]+) trades/.exec(line)?.[1]) > 0);
  assert.ok(lively >= 0 && lively < LIVELY_WITHIN_S, stdout);
  for (const line of lines) assert.doesNotMatch(line, /refused/);
  const [, btc, eth] = lines.at(-1)!.split(' | ');
  for (const top of [btc!, eth!]) {
    const [, bid, ask] = / ([0-9.]+) \/ ([0-9.]+)$/.exec(top)!;
    assert.ok(Number(bid) > 0 && Number(bid) < Number(ask), top);
  }
  // 4 makers and 6 takers have 10 million each; wallets are read one after the other, so a mark may move in between.
  const sum = Number(/= ([0-9,]+)$/.exec(lines.at(-1)!)![1]!.replaceAll(',', ''));
  assert.ok(Math.abs(sum - 100_000_000) < 10_000, lines.at(-1));
  assert.match(stdout, /demo: the venue stopped with 0\n$/);
});

test('Ctrl-C ends the demo and its venue', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-demo-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // A terminal sends the signal to the venue too.
  const child = spawn(process.execPath, [script('demo'), '--data', folder], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const group = -child.pid!;
  t.after(() => { if (child.exitCode === null) process.kill(group, 'SIGKILL'); });
  const closed = once(child, 'close');
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (!out.includes('orders/s') && text.includes('orders/s')) process.kill(group, 'SIGINT');
    out += text;
  });
  const [code] = await closed as [number | null];
  assert.equal(code, 0, out);
  assert.match(out, /demo: the venue stopped with 0\n$/);
  assert.ok(readdirSync(folder).includes('journal'), 'a folder that was named is kept');
});

test('the order script says in one line what is wrong', () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--url', 'http://127.0.0.1:1'], /ECONNREFUSED.*is a venue running there\?/],
    [['--url', 'nowhere'], /--url: "nowhere" is no address/],
    [['--key', 'zz'], /--key: a key has 64 hex digits/],
    [['--key', '0'.repeat(64)], /--key: .*no private key/],
    [['BTC-20260109-100000-C', 'Buy'], /an order is SYMBOL SIDE SIZE PRICE; usage/],
    [['--surplus'], /--surplus.*usage/],
  ];
  for (const [args, line] of cases) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script('order'), ...args], { encoding: 'utf8' });
    assert.deepEqual({ status, stdout }, { status: 2, stdout: '' });
    assert.match(stderr, /^order: [^\n]+\n$/);
    assert.match(stderr, line);
  }
});
