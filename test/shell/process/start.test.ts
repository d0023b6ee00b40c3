// `npm start` as a user sees it: what it prints, whether the printed commands work, how it ends, and the one line with exit code 2 when
// it cannot start.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Http } from '../../../scripts/client.ts';
import { freePort, VenueProcess, type Ended, type VenueOptions } from '../../../scripts/venue-process.ts';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig } from '../../../shell/process/config.ts';
import { holdPort } from '../../../shell/process/port.ts';
import { assertSound } from '../../support/audit.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { slowFolder } from './slow-folder.ts';
import { refused, START } from './refused.ts';
import { contentOf } from './stopped.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Enough of them that a start is seen recovering. */
const PRICES = 8_000;
/** Enough of them that a recovery lasts for many seconds. */
const MANY_PRICES = 40_000;
/** Of the race for a port: each starts three venues. */
const ROUNDS = process.env['STRIKEBOOK_LONG'] === '1' ? 10 : 1;
/** Looking without a pause would take the core that recovers. */
const LOOK_EVERY_MS = 2;

async function venueOf(t: TestContext, options: Omit<VenueOptions, 'data'> & { data?: string } = {}): Promise<VenueProcess> {
  const venue = await VenueProcess.start({ data: join(temporaryFolder(t), 'data'), ...options });
  t.after(() => venue.kill());
  return venue;
}

const root = mkdtempSync(join(tmpdir(), 'strikebook-start-'));
const firstData = join(root, 'data');
let first: VenueProcess;
before(async () => {
  const flags = ['--service-name', 'Test Venue', '--chain-id', '12345', '--cors', 'https://app.example'];
  first = await VenueProcess.start({ data: firstData, flags });
  await first.ready();
});
after(async () => {
  await first?.kill();
  rmSync(root, { recursive: true, force: true });
});

test('a first start prints its address, its signing domain and three commands that work', async () => {
  while (!first.out.includes('npm run')) await sleep(LOOK_EVERY_MS);
  const { out, url } = first;
  assert.match(out, new RegExp(`^Strikebook is ready at ${url} `));
  assert.match(out, /signing domain +name "Test Venue", version "1", chainId 12345, verifyingContract 0x0{40}/);
  const docs = /every route +(.+)/.exec(out)![1]!;
  assert.equal(docs, `${url}/docs`);
  assert.equal((await fetch(docs)).status, 200);
  const page = /trading page +(.+)/.exec(out)![1]!;
  assert.equal(page, `${url}/`);
  assert.match(await (await fetch(page)).text(), /<div id="page">/);
  const token = /admin token +in (.+)/.exec(out)![1]!;
  assert.equal(statSync(token).mode & 0o777, 0o600);
  const commands = out.split('\n').map((line) => line.trim()).filter((line) => /^(curl|npm) /.test(line));
  const urls = commands.flatMap((line) => /^curl '?([^']+)'?$/.exec(line)?.[1] ?? []);
  assert.equal(urls.length, 2);
  for (const address of urls) assert.equal((await fetch(address)).status, 200, address);
  const [order] = commands.filter((line) => line.startsWith('npm '));
  const run = spawnSync('sh', ['-c', order!], { cwd: ROOT, encoding: 'utf8', timeout: 120_000 });
  assert.equal(run.status, 0, `${order}: ${run.stdout}${run.stderr}`);
  assert.match(run.stdout, /domain +name "Test Venue", version "1", chainId 12345/);
  assert.match(run.stdout, /answer +200 .*"status":"ACKED"/);
  assert.match(run.stdout, /open +\[\{"order_id":1,/);
});

test('each signal stops the venue cleanly and prints the head; the next start continues from there', { timeout: 120_000 }, async (t) => {
  const data = join(temporaryFolder(t), 'data');
  let seq = 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', null] as const) {
    const venue = await venueOf(t, { data });
    await venue.ready();
    const http = new Http(venue.url);
    t.after(() => http.close());
    const { head_seq: goesOn } = (await http.get('/exchange-info')).body as { head_seq: number };
    assert.ok(goesOn >= seq);
    if (signal === null) break;
    venue.signal(signal);
    // As npm does, which passes on what a terminal has sent to the venue too.
    await sleep(LOOK_EVERY_MS);
    venue.signal(signal);
    const { code, out, err } = await venue.ended;
    assert.equal(code, 0, err);
    assert.equal(err, '');
    const [, last, head] = /stopped at seq ([0-9]+), head ([0-9a-f]{64})\n$/.exec(out)!;
    seq = Number(last);
    assertSound(data, '--head', head!);
  }
});

test('--cors sets the origin that responses allow', async () => {
  const { headers } = await fetch(`${first.url}/health`);
  assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('vary')], ['https://app.example', 'Origin']);
});

test('a folder or port in use is refused in one line, and the venue that holds it runs on', async (t) => {
  assert.match(refused(['--port', '0', '--data', firstData]), /data folder .* is in use by another process/);
  const { port } = new URL(first.url);
  assert.match(refused(['--port', port, '--data', join(temporaryFolder(t), 'data')]), /port [0-9]+ on 127\.0\.0\.1 is in use/);
  assert.equal((await fetch(`${first.url}/ready`)).status, 200);
  assert.equal(first.isOver, false);
});

// A name may have an address of either family, and the web server prefers another one than the look at the port does.
test('a host name is resolved once, to one address for every thread', async () => {
  const { host, release } = await holdPort('localhost', 0);
  release();
  assert.notEqual(isIP(host), 0, host);
});

test('of three venues that start at once on one port, one gets it and the others are refused', { timeout: 120_000 }, async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const port = await freePort();
    const venues = await Promise.all([1, 2, 3].map(() => venueOf(t, { port, flags: ['--workers', '1'] })));
    const ends = venues.map(async (venue, at) => ({ at, ended: await venue.ended }));
    const first = await Promise.race(ends);
    const second = await Promise.race(ends.filter((_, at) => at !== first.at));
    for (const { ended } of [first, second]) {
      assert.equal(ended.code, 2, ended.err);
      assert.match(ended.err, /port [0-9]+ on 127\.0\.0\.1 is in use/);
    }
    const [winner] = venues.filter((_, at) => at !== first.at && at !== second.at);
    await winner!.ready();
    await winner!.kill();
  }
});

test('a bad setting is refused in one line that names it', (t) => {
  const data = join(temporaryFolder(t), 'data');
  const cases: readonly (readonly [readonly string[], NodeJS.ProcessEnv, RegExp])[] = [
    [['--port', '80800'], {}, /--port .*80800/],
    [['--port', '80800'], { PORT: 'http' }, /80800"$/],
    [['--port', '-1'], {}, /'--port' argument is ambiguous.*use '--port=-XYZ'/],
    [['--feed', 'oracle'], {}, /--feed .*sim or manual.*oracle/],
    [['--workers', '0'], {}, /--workers .*1 to 16/],
    [['--clock-speed', '0.0005'], {}, /--clock-speed .*0.001 to 100000.*0\.0005/],
    [[], { CLOCK_START: 'yesterday' }, /--clock-start .*UTC.*yesterday/],
    [['--rate-limits', join(data, 'none.json')], {}, /--rate-limits .*none\.json/],
    [['--admin-token', 'short'], {}, /--admin-token/],
    [['--socket-compression', 'on'], {}, /--socket-compression/],
    [['--nonsense'], {}, /--nonsense/],
    [['surplus'], {}, /surplus/],
    [['--host='], {}, /--host must not be empty/], // It would be every interface.
    [[], { HOST: '' }, /--host must not be empty/],
  ];
  for (const [args, env, line] of cases) {
    assert.throws(() => readConfig(args, env), (error) => (
      error instanceof BadSetting && line.test(error.message) && !error.message.includes('\n')
    ), args.join(' '));
  }
  assert.match(refused([], { env: { PORT: 'http' } }), /--port .*"http" \(PORT of the environment\)\n$/);
  assert.match(refused(['--host', '256.1.1.1', '--port', '0', '--data', data]), /cannot listen on 256\.1\.1\.1/);
});

test('a refused setting is logged in the requested format, and as text if the format itself is invalid', (t) => {
  const none = join(temporaryFolder(t), 'none.json');
  const cases: readonly (readonly [readonly string[], NodeJS.ProcessEnv, RegExp])[] = [
    [['--settings', none], { LOG: 'json' }, /none\.json/],
    [['--log', 'json', '--port', '99999'], {}, /--port .*99999/],
    [['--nonsense', '--log=json'], { LOG: 'text' }, /--nonsense/],
    [['surplus', '--port', '-1'], { LOG: 'json' }, /surplus/],
  ];
  for (const [args, env, line] of cases) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [START, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
    assert.deepEqual([status, stdout], [2, ''], stderr);
    const { level, event, thread, text } = JSON.parse(stderr) as Record<string, string>;
    assert.deepEqual([level, event, thread], ['error', 'refused', 'main']);
    assert.match(text!, line);
  }
  assert.match(refused(['--log', 'xml'], { env: { LOG: 'json' } }), /--log must be text or json, not "xml"/);
  const help = spawnSync(process.execPath, [START, '--help'], { encoding: 'utf8', env: { ...process.env, LOG: 'json' } });
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.match(help.stdout, /^Strikebook, /, 'for the person who asks, whatever reads the log');
});

/** A Node of another version, as it says. */
const faked = (version: string): string => `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`,
)}`;

test('another Node version without the pinned one installed is refused in one line that says what to do', (t) => {
  const folder = temporaryFolder(t);
  for (const name of ['start.js', 'commands.js']) cpSync(join(ROOT, 'shell', 'process', name), join(folder, 'shell', 'process', name));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const start = join(folder, 'shell', 'process', 'start.js');
  for (const version of ['20.19.0', '22.17.1', '24.1.0']) {
    assert.match(refused([], { start, imports: faked(version) }), /needs Node 22\.18.*npm ci && npm start/);
  }
  assert.match(refused([], { start }), /is not built: run "npm run build"/);
  const other = otherNode();
  if (other === null) t.diagnostic('no other Node is installed here: seen with a faked version only');
  else assert.match(refused([], { start, node: other, env: { NODE_OPTIONS: '' } }), /needs Node 22\.18.*npm ci && npm start/);
});

test('another Node version starts the pinned one and ends as the venue ends', {
  skip: otherNode() === null && 'no other Node is installed',
}, async (t) => {
  const port = await freePort();
  const args = [START, '--port', String(port), '--data', join(temporaryFolder(t), 'data'), '--feed', 'manual', '--workers', '1'];
  const started = spawn(otherNode()!, args, { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => started.kill('SIGTERM'));
  let said = '';
  started.stdout.setEncoding('utf8').on('data', (text: string) => { said += text; });
  while (!said.includes('is ready at') && started.exitCode === null) {
    await Promise.race([once(started.stdout, 'data'), once(started, 'exit')]);
  }
  assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
  started.kill('SIGTERM');
  assert.deepEqual(await once(started, 'exit'), [0, null]);
  assert.match(said, /stopping: SIGTERM\nstopped at seq/);
});

/** A Node of this machine that the venue does not run on. */
function otherNode(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    const [, major] = /^v([0-9]+)\./.exec(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? '') ?? [];
    if (major !== undefined && major !== '22') return node;
  }
  return null;
}

test('during recovery /health is 200, /ready 503 with progress and all else not_ready; then it is ready', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const seq = slowFolder(data, PRICES);
  const venue = await venueOf(t, { data, flags: ['--feed', 'manual'] });
  const http = new Http(venue.url);
  t.after(() => http.close());
  let sawProgress = false;
  let sawOther = false;
  for (let status = 0; status !== 200; await sleep(LOOK_EVERY_MS)) {
    assert.equal(venue.isOver, false);
    const ready = await http.get('/ready').catch(() => null);
    if (ready === null) continue;
    ({ status } = ready);
    if (status === 200) break;
    assert.equal(status, 503);
    const { components } = ready.body as { components: { name: string; detail: string }[] };
    const { detail } = components.find(({ name }) => name === 'recovery')!;
    sawProgress ||= Number(/recovered ([0-9]+) of/.exec(detail)?.[1]) > 0 && detail.endsWith(`of ${seq} commands`);
    assert.equal((await http.get('/health')).status, 200);
    const other = await http.get('/markets');
    // It may have become ready in between.
    if (other.status !== 503) continue;
    assert.equal((other.body as { error: string }).error, 'not_ready');
    sawOther = true;
  }
  assert.deepEqual({ sawProgress, sawOther }, { sawProgress: true, sawOther: true });
  const markets = await http.get('/markets?include_instruments=false');
  assert.equal(markets.status, 200);
  assert.ok((markets.body as { data: unknown[] }).data.length > 0);
});

test('a signal while the folder and the port are being taken ends the start cleanly', async (t) => {
  const code = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
    import { isMainThread } from 'node:worker_threads';
    const { statfsSync } = fs;
    if (isMainThread) fs.statfsSync = (path) => { process.kill(process.pid, 'SIGTERM'); return statfsSync(path); };
    syncBuiltinESMExports();`;
  const venue = await venueOf(t, { flags: ['--feed', 'manual'], imports: [`data:text/javascript,${encodeURIComponent(code)}`] });
  const ended = await venue.ended;
  assert.equal(ended.code, 0, `${ended.signal} ${ended.err}`);
  assert.match(ended.out, /^stopping: SIGTERM\nstopped [^\n]+\n$/);
});

test('a signal during recovery, or while the reader rebuilds the history, ends the start soon and cleanly', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  const seq = slowFolder(data, MANY_PRICES);
  const content = contentOf(join(data, 'journal'));
  const startAgain = (): Promise<VenueProcess> => venueOf(t, { data, flags: ['--feed', 'manual'] });
  const signalled = async (signal: NodeJS.Signals, detail?: RegExp): Promise<void> => {
    const venue = await startAgain();
    const http = new Http(venue.url);
    t.after(() => http.close());
    await recovering(venue, http, detail);
    venue.signal(signal);
    const { code, out, err }: Ended = await venue.ended;
    assert.equal(code, 0, err);
    assert.equal(out, `stopping: ${signal}\nstopped before it was ready: recovery was interrupted\n`);
  };
  await signalled('SIGTERM');
  assert.equal(contentOf(join(data, 'journal')), content);
  const again = await startAgain();
  await again.ready();
  const info = await (await fetch(`${again.url}/exchange-info`)).json() as { head_seq: number };
  assert.ok(info.head_seq >= seq);
  assert.equal((await again.stop()).code, 0);
  rmSync(join(data, 'history.db'));
  // Main has its snapshot: what is left is the reader's work.
  await signalled('SIGINT', /recovered ([1-9][0-9]*) of \1 commands/);
});

async function recovering(venue: VenueProcess, http: Http, detail = /recovered [1-9]/): Promise<void> {
  for (;; await sleep(LOOK_EVERY_MS)) {
    assert.equal(venue.isOver, false);
    const ready = await http.get('/ready').catch(() => null);
    assert.notEqual(ready?.status, 200);
    if (detail.test(ready?.text ?? '')) return;
  }
}

test('a second signal of another kind ends the process at once', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  slowFolder(data, PRICES);
  for (const [first, second] of [['SIGTERM', 'SIGINT'], ['SIGINT', 'SIGTERM']] as const) {
    const venue = await venueOf(t, { data, flags: ['--feed', 'manual'] });
    const http = new Http(venue.url);
    for (; (await http.get('/ready').catch(() => null))?.status !== 503; await sleep(LOOK_EVERY_MS)) assert.equal(venue.isOver, false);
    venue.signal(first);
    venue.signal(second);
    const { signal, code } = await venue.ended;
    // The system may hand over two that wait in another order.
    assert.ok(code === null && (signal === first || signal === second), `${signal} ${code}`);
    http.close();
  }
});
