// The client as others get it: built, packed, installed from the tarball into an empty folder, run by this Node, the system's and a
// browser, type-checked in a strict project; and the README's market maker at work.

import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connect, createPrivateKey, privateKeySigner } from '../../client/src/main.ts';
import { IN_CHROMIUM } from '../support/chromium.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { inChromium } from './browser.ts';
import { option, setTier, startVenue, trader } from './venue.ts';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'node_modules/.bin');
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8')) as { version: string; dependencies: object };
/** Beside the pinned Node, that of the system if it is another one. */
const NODES = [process.execPath, '/usr/bin/node'].filter((path) => existsSync(path));
const run = promisify(execFile);
/** What documents promise. */
const MAKER_LINES = 30;

const { url } = await startVenue({ after });

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 180_000 });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${stdout} ${stderr} ${String(error)}`);
  return stdout;
}

/** An empty project with the packed client, what it depends on, and a WebSocket for runtimes without one; no registry is asked. */
function install(): string {
  const project = temporaryFolder({ after });
  writeFileSync(join(project, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  const parts = ['node_modules/@noble/curves', 'node_modules/@noble/hashes', 'node_modules/ws'].map((part) => `./${part}`);
  // Builds first.
  must('npm', ['pack', '--silent', '--pack-destination', project, './client'], ROOT);
  must('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', project, ...parts], ROOT);
  const tarballs = readdirSync(project).filter((name) => name.endsWith('.tgz')).map((name) => `./${name}`);
  assert.equal(tarballs.length, 1 + parts.length);
  must('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs], project);
  return project;
}

const project = install();
const installed = join(project, 'node_modules/@strikebook/client');

test('the package has the repository\'s version, only what runs, and nothing of Node', () => {
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string; dependencies: Record<string, string> };
  assert.equal(MANIFEST.version, root.version);
  for (const [name, version] of Object.entries(MANIFEST.dependencies)) assert.equal(version, root.dependencies[name], name);
  assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'package.json']);
  const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  assert.ok(files.includes('client/src/main.js') && files.includes('core/codec/signed-commands.js'));
  for (const file of files) {
    const text = readFileSync(join(installed, 'dist', file), 'utf8');
    const imports = [...text.matchAll(/^(?:import|export)[^;]*?from '([^']+)'/gm)].map((match) => match[1]!);
    assert.ok(imports.every((from) => /^(?:\.\.?\/|@noble\/)/.test(from)), `${file}: ${imports.join()}`);
    assert.doesNotMatch(text, /\b(?:process|require|Buffer)\b[.(]/, file);
  }
});

const CONSUMER = `
import { connect, createPrivateKey, privateKeySigner, roundPrice, StrikebookError } from '@strikebook/client';
import { WebSocket } from 'ws';
const [, , url, symbol] = process.argv;
const venue = await connect(url, { signer: privateKeySigner(createPrivateKey()) });
const socket = venue.socket(globalThis.WebSocket === undefined ? { WebSocket } : {});
const book = await socket.book(symbol);
const updates = await socket.subscribe('order_updates');
const { mark_price: mark } = await venue.get('/orderbook', { instrument_name: symbol });
const placed = await venue.placeOrder({ symbol, side: 'Buy', size: '1', price: roundPrice(mark / 2, 'down') });
const seen = [];
for await (const { status, order_id } of updates) {
  seen.push([status, order_id === placed.order_id]);
  if (status === 'OPEN') break;
}
const { status } = await venue.cancelOrder(placed.order_id);
const code = await venue.get('/greeks', { symbol: 'BTC-20990101-1-C' }).catch((error) => error instanceof StrikebookError && error.code);
socket.close();
console.log(JSON.stringify({ seen, status, code, isBook: book.symbol === symbol && book.seq >= 0 }));
`;

test('the installed package trades and listens, on each Node there is', async (t) => {
  writeFileSync(join(project, 'consumer.js'), CONSUMER);
  const { symbol } = await option(await trader(url));
  for (const node of NODES) {
    const version = must(node, ['--version'], project).trim();
    t.diagnostic(`Node ${version}`);
    const { stdout } = await run(node, ['consumer.js', url, symbol], { cwd: project, timeout: 120_000 });
    const seen = [['ACKED', true], ['OPEN', true]];
    assert.deepEqual(JSON.parse(stdout), { seen, status: 'CANCELED', code: 'not_found', isBook: true }, version);
  }
});

const IN_BROWSER = `
import { connect, createPrivateKey, privateKeySigner, roundPrice } from '@strikebook/client';
const venue = await connect(URL, { signer: privateKeySigner(createPrivateKey()) });
const socket = venue.socket();
const book = await socket.book(SYMBOL);
const seen = [];
await socket.subscribe('order_updates', { onMessage: ({ status }) => seen.push(status) });
const { mark_price: mark } = await venue.get('/orderbook', { instrument_name: SYMBOL });
const order = { symbol: SYMBOL, side: 'Buy', size: '1', price: roundPrice(mark / 2, 'down') };
const placed = await socket.placeOrder(order);
const { status } = await socket.cancelOrder(placed.order_id);
const byRest = await venue.placeOrder(order);
while (seen.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
await report({ seen, placed: placed.status, status, byRest: byRest.status, isBook: book.isLive && book.symbol === SYMBOL });
`;

test('the packed package works in a browser', IN_CHROMIUM, async () => {
  const { symbol } = await option(await trader(url));
  const code = IN_BROWSER.replaceAll('URL', JSON.stringify(url)).replaceAll('SYMBOL', JSON.stringify(symbol));
  assert.deepEqual(await inChromium(project, temporaryFolder({ after }), code), {
    seen: ['ACKED', 'OPEN', 'CANCELED', 'ACKED', 'OPEN'], placed: 'ACKED', status: 'CANCELED', byRest: 'ACKED', isBook: true,
  });
});

const TYPED = `
import { connect, type ErrorCode, type Portfolio, type Signer, type Stream, type FillMessage } from '@strikebook/client';
export const code: ErrorCode = 'engine_busy';
export async function use(signer: Signer): Promise<Portfolio> {
  const venue = await connect('http://venue.example', { signer, timeoutMs: 1_000 });
  const socket = venue.socket();
  const fills: Stream<FillMessage> = await socket.subscribe('fills', { symbols: ['BTC-PERP'], from_seq: 7 });
  for await (const { price } of fills) price satisfies string;
  const { order_id } = await venue.placeOrder({ symbol: 'BTC-PERP', side: 'Buy', size: '1', price: 100 }, { nonce: 1n });
  order_id satisfies number | null;
  const { results } = await socket.placeOrders([{ symbol: 'BTC-PERP', side: 'Buy', size: '1', price: 100 }]);
  results[0]?.data?.status satisfies 'ACKED' | 'REJECTED' | 'CANCELED' | undefined;
  await socket.subscribe('candles:BTC:1h', { onMessage: ({ close }) => { close satisfies number; } });
  await socket.subscribe('portfolio', { onMessage: (message) => {
    if (message.type === 'PortfolioUpdate' && message.update_type === 'PositionUpdate') message.position.amount satisfies string;
  } });
  // @ts-expect-error: no such channel
  await socket.subscribe('prices');
  // @ts-expect-error: a side is Buy or Sell
  await venue.placeOrder({ symbol: 'BTC-PERP', side: 'buy', size: '1', price: 100 });
  // @ts-expect-error: no such read
  await venue.get('/nothing', {});
  // @ts-expect-error: a book is asked by a name or an id
  await venue.get('/orderbook', { wallet: '0x' });
  return venue.get('/portfolio', { wallet: venue.wallet });
}
`;

test('the types compile in a strict project, as Node modules and with a bundler', () => {
  writeFileSync(join(project, 'typed.ts'), TYPED);
  for (const [module, moduleResolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) {
    const compilerOptions = {
      target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [], module, moduleResolution, strict: true, noEmit: true,
      exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noImplicitOverride: true, skipLibCheck: false,
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    must(join(BIN, 'tsc'), ['-p', '.'], project);
  }
});

test('the README\'s market maker requotes after a fill, cancels what it cannot move, and leaves nothing open', async () => {
  const key = createPrivateKey();
  const { address: wallet } = privateKeySigner(key);
  const taker = await trader(url);
  const { symbol } = await option(taker);
  const page = readFileSync(join(ROOT, 'client', 'README.md'), 'utf8');
  const code = /^```ts\n([^]*?)^```$/m.exec(page)![1]!;
  assert.ok(code.split('\n').filter((line) => line !== '').length <= MAKER_LINES);
  // In a folder as `npm init -y` makes it, whose modules are CommonJS.
  const own = join(project, 'maker');
  const name = /`(maker\.\w+)`/.exec(page)![1]!;
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{"name":"maker","version":"1.0.0","type":"commonjs"}');
  writeFileSync(join(own, name), code);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', name, symbol], {
    cwd: own, env: { ...process.env, STRIKEBOOK_URL: url, STRIKEBOOK_KEY: key }, stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
  const reader = await connect(url);
  const open = async () => (await reader.get('/orders', { wallet, status: 'open' })).data;
  const isQuoting = async () => {
    const orders = await open();
    return new Set(orders.map(({ side }) => side)).size === 2 && orders;
  };
  const first = await until('both quotes', isQuoting);
  const ask = first.find(({ side }) => side === 'Sell')!;
  await taker.placeOrder({ symbol, side: 'Buy', size: '0.1', price: ask.price, tif: 'ioc' });
  await until('the fill', () => out.includes('FILLED Sell'));
  await until('the next offer', async () => (await open()).some(({ side, order_id: id }) => side === 'Sell' && id > ask.order_id));
  // No offer is taken any more, in the place of another neither: the one that stands is taken away, and one comes back.
  const isOffered = async () => {
    const offers = (await open()).filter(({ side }) => side === 'Sell');
    assert.ok(offers.length <= 1, 'one beside the other');
    return offers.length === 1;
  };
  await setTier(url, wallet, 'tier1');
  await until('the end of the offer', async () => !await isOffered());
  await setTier(url, wallet, 'default');
  await until('an offer again', isOffered);
  child.kill('SIGINT');
  const [exit] = await closed as [number | null];
  assert.equal(exit, 0, out);
  assert.deepEqual(await open(), []);
});
