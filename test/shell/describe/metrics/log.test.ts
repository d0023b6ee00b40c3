// The venue's log: with LOG=json every line is one object with its event; request ids are accepted, made, echoed and logged with
// failures; no line has a signature or a token; a held terminal blocks no writer.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWallet, Http, signerFor } from '../../../../scripts/client.ts';
import { VenueProcess } from '../../../../scripts/venue-process.ts';
import { BEHAVIOUR, CODEC } from '../../../../core/version.ts';
import { VERSION } from '../../../../shell/ipc/version.ts';
import { openEdge } from '../../../../shell/http/server/edge.ts';
import type { AnswerReport } from '../../../../shell/http/server/edge-state.ts';

const TOKEN = 'token-of-the-log-test-0123456789';
const ID = /^[0-9a-f]{8}-[0-9a-z]+$/;

type Said = { readonly out: string; readonly err: string };

async function withVenue(flags: readonly string[], run: (http: Http) => Promise<void>): Promise<Said> {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const all = ['--feed', 'manual', '--admin-token', TOKEN, '--workers', '1', ...flags];
  const venue = await VenueProcess.start({ data: join(folder, 'data'), flags: all });
  try {
    await venue.ready();
    const http = new Http(venue.url);
    await run(http);
    http.close();
    return await venue.stop();
  } finally {
    await venue.kill();
    rmSync(folder, { recursive: true });
  }
}

test('LOG=json: one object per line from start to stop, and never a signature or the token', async () => {
  const sent: string[] = [];
  let url = '';
  const { out, err } = await withVenue(['--log', 'json'], async (http) => {
    url = http.url;
    const signer = await signerFor(http);
    const wallet = createWallet();
    const admin = { authorization: `Bearer ${TOKEN}` };
    await http.post('/admin/index-price', { underlying: 'BTC', price: '100000' }, admin);
    await http.post('/admin/index-price', { underlying: 'BTC', price: '1' }, { authorization: `Bearer ${TOKEN}x` });
    const order = signer.placeOrder(wallet, { symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '90000' });
    const { signature } = JSON.parse(order.body!) as { signature: string };
    sent.push(signature, signature.slice(2, 40), TOKEN);
    assert.equal((await http.send(order)).status, 200);
    await http.send({ ...order, body: order.body!.replace('90000', '80000') });
    await http.send({ ...order, body: `${order.body!}x` });
    await http.send({ ...order, path: `/order?signature=${signature}&token=${TOKEN}` });
    await http.get(`/nothing/${signature}`);
  });
  const lines = [...out.trimEnd().split('\n'), ...err.trimEnd().split('\n')].filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as Record<string, string>);
  for (const { time, level, event, thread, text } of events) {
    assert.equal(new Date(time!).toISOString(), time);
    assert.ok(['info', 'warn', 'error'].includes(level!) && event !== '' && thread !== '');
    assert.match(text!, /^[^\n]+$/, 'a text is one line');
  }
  assert.deepEqual(events.map(({ event }) => event), ['ready', 'stopping', 'stopped']);
  const [ready, stopping, stopped] = events as [Record<string, string>, Record<string, string>, Record<string, string>];
  const { time: _, level: __, thread: ___, text, seq, ...facts } = ready;
  assert.deepEqual(facts, {
    event: 'ready', url, feed: 'manual', durability: 'full', version: VERSION, behaviour: BEHAVIOUR, codec: CODEC,
    service_name: 'Strikebook', chain_id: 998,
  });
  assert.equal(text, `Strikebook is ready at ${url} (seq ${seq}, feed manual, durability full)`);
  assert.equal(stopping['reason'], 'SIGTERM');
  assert.equal(stopped['text'], `stopped at seq ${stopped['seq']}, head ${stopped['head']}`);
  for (const secret of sent) assert.ok(!`${out}${err}`.includes(secret), 'a secret in the log');
});

test('LOG=json: an error of several lines is one line, with its place as a field', () => {
  const log = new URL('../../../../shell/process/observability/log.ts', import.meta.url).href;
  const faults = new URL('../../../../shell/process/observability/faults.ts', import.meta.url).href;
  const code = `
    import { logAs } from '${log}';
    import { Faults } from '${faults}';
    logAs('json', 'api-0');
    new Faults('api-0').report('socket message', new Error('first\\nsecond'), 'mine');`;
  const { stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]);
  const lines = String(stderr).trimEnd().split('\n');
  assert.equal(lines.length, 1);
  const { event, thread, text, place, request_id: id } = JSON.parse(lines[0]!) as Record<string, string>;
  assert.deepEqual([event, thread, place, id], ['fault', 'api-0', 'socket message', 'mine']);
  assert.match(text!, /^fault in api-0, socket message: Error: first \| second \| +at /);
  assert.doesNotMatch(text!, /\n/);
});

test('text is the default log with nothing on standard error; a valid request id is kept, another replaced', async () => {
  const { out, err } = await withVenue([], async (http) => {
    const idOf = async (sent?: string, path = '/health'): Promise<unknown> => (
      (await http.send({ method: 'GET', path, headers: sent === undefined ? {} : { 'x-request-id': sent } })).headers['x-request-id']
    );
    assert.equal(await idOf('My-Id_1.2:3'), 'My-Id_1.2:3');
    assert.equal(await idOf('x'.repeat(64), '/nowhere'), 'x'.repeat(64));
    for (const bad of [undefined, '', 'x'.repeat(65), 'a b', '<script>', 'a"b']) assert.match(String(await idOf(bad)), ID);
    assert.notEqual(await idOf(), await idOf());
  });
  assert.match(out, /^Strikebook is ready at /);
  assert.match(out, /\nstopping: SIGTERM\nstopped at seq \d+, head [0-9a-f]{64}\n$/);
  assert.equal(err, '');
});

test('a failure is logged with its request\'s id, and the client sees no stack', async () => {
  const faults: [string, unknown, string | undefined][] = [];
  const answers: AnswerReport[] = [];
  const edge = openEdge({
    host: '127.0.0.1', port: 0, trustProxy: false, cors: '*', route: () => { throw new Error('a secret of ours'); },
    sockets: { path: '/ws', admit: () => null, open: () => ({ message: () => undefined, close: () => undefined }), errorFrame: () => '' },
    onFault: (place, error, id) => faults.push([place, error, id]), onAnswer: (answer) => answers.push(answer),
  });
  try {
    const response = await fetch(`http://127.0.0.1:${edge.port}/x?y=1`, { headers: { 'x-request-id': 'mine' } });
    assert.deepEqual([response.status, await response.json()], [500, { error: 'internal_error', message: 'Internal error' }]);
    assert.deepEqual(faults.map(([place, , id]) => [place, id]), [['route', 'mine']]);
    const [{ seconds, ...facts }] = answers as [AnswerReport];
    assert.deepEqual(facts, { id: 'mine', method: 'GET', path: '/x', route: 0, status: 500 });
    assert.ok(seconds >= 0);
  } finally {
    edge.close();
  }
});

/** Of util-linux, which not every machine has whole: runs a command in a terminal of its own. */
const HAS_TERMINAL = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
/** How long a terminal that is told of a line each 20 ms shows none when it is held. */
const QUIET_MS = 1_000;

/** Runs in a terminal: says lines until the terminal is held, then more than it can keep, and shows that it came to its end. */
function speaker(folder: string): string {
  const log = new URL('../../../../shell/process/observability/log.ts', import.meta.url).href;
  return `
    import { existsSync, writeFileSync } from 'node:fs';
    import { log } from '${log}';
    while (!existsSync('${join(folder, 'held')}')) {
      log('info', 'begun', 'begun');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (let line = 0; line < 2_000; line++) log(line % 2 === 0 ? 'info' : 'warn', 'line', 'a line of some forty characters or so');
    writeFileSync('${join(folder, 'end')}', '');`;
}

test('a terminal held with Ctrl-S loses lines but blocks no writer', {
  skip: HAS_TERMINAL ? false : 'no script(1) of util-linux is installed',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
  writeFileSync(join(folder, 'speaker.ts'), speaker(folder));
  const command = `exec ${process.execPath} --disable-warning=ExperimentalWarning ${join(folder, 'speaker.ts')}`;
  const terminal = spawn('script', ['-qec', command, join(folder, 'typescript')], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => {
    terminal.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  let said = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => { said += text; });
  const until = async (isSo: () => boolean, what: string): Promise<void> => {
    for (const end = performance.now() + 60_000; !isSo(); await sleep(20)) assert.ok(performance.now() < end, `${what}: ${said}`);
  };
  await until(() => said.includes('begun'), 'the process in the terminal begins');
  terminal.stdin.write('\x13');
  for (let shown = -1; shown !== said.length; await sleep(QUIET_MS)) shown = said.length;
  writeFileSync(join(folder, 'held'), '');
  await until(() => existsSync(join(folder, 'end')), 'it says all it has to, though nobody reads');
  assert.ok(!said.includes('a line'), 'the terminal was held');
});
