// docs/CLIENTS.md is true: its files and commands run in an empty folder, as a reader would run them, against a venue.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../client/src/main.ts';
import { lacksRegistry } from '../support/registry.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { read, ROOT, STATED } from '../e2e/readme/page.ts';

const PAGE = read('docs/CLIENTS.md');
const WITHIN_MS = 240_000;

type Block = { readonly language: string; readonly text: string };
type Ran = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

const folder = temporaryFolder({ after });
const data = join(temporaryFolder({ after }), 'data');
let venue: VenueProcess;
let url = '';

/** The blocks below a heading. */
function section(heading: string): readonly Block[] {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? assert.fail(`no section ${heading}`);
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, block]) => ({ language: language!, text: block! }));
}

/** With this Node first, then Debian's programs; without what a run of npm or of tests tells its scripts. */
function run(command: string, cwd: string, settings: Readonly<Record<string, string>> = {}): Ran {
  const clean = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_(OPTIONS|TEST|COMPILE)|INIT_CWD)/i.test(name));
  const path = `${dirname(process.execPath)}:/usr/bin:${process.env['PATH']}`;
  const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  const python = { PYTHONPATH: join(ROOT, 'client/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
  const env = { ...Object.fromEntries(clean), ...npm, ...python, ...settings, PATH: path };
  return spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8', timeout: WITHIN_MS });
}

function must(command: string, cwd: string): string {
  const { status, stdout, stderr } = run(command, cwd);
  assert.equal(status, 0, `${command}: ${stdout}${stderr}`);
  return stdout;
}

function inHere(text: string): string {
  return text.replaceAll(new URL(STATED).host, new URL(url).host);
}

/** What each line of the section's commands prints, with its files in place; null if its packages cannot be had. */
function runSection(heading: string): readonly string[] | null {
  const blocks = section(heading);
  for (const { language, text } of blocks) {
    const name = /^(?:\/\/|#) (\S+\.\w+)$/m.exec(text)?.[1];
    if (language !== 'sh' && name !== undefined) writeFileSync(join(folder, name), inHere(text));
  }
  const printed: string[] = [];
  for (const line of blocks.flatMap(({ language, text }) => (language === 'sh' ? text.trim().split('\n') : []))) {
    const { status, stdout, stderr } = run(inHere(line), folder, { npm_config_ignore_scripts: 'true' });
    if (line.startsWith('npm install') && status !== 0 && lacksRegistry(stderr)) return null;
    assert.equal(status, 0, `${line}: ${stdout}${stderr}`);
    printed.push(stdout);
  }
  return printed;
}

/** What the section's programs say that they print. */
function stated(heading: string): readonly string[] {
  const prints = section(heading).flatMap(({ text }) => text.split('\n')).filter((line) => /\b(?:console\.log|print)\(/.test(line));
  return prints.map((line) => /(?:; \/\/|\)  #) (.+)$/.exec(line)?.[1] ?? assert.fail(`${line}: says not what it prints`));
}

before(async () => {
  venue = await VenueProcess.start({ data, flags: ['--workers', '1'] });
  await venue.ready();
  url = venue.url;
  const client = await connect(url);
  while ((await client.get('/instruments', { currency: 'ETH' })).length === 0) await sleep(20);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  must(`npm pack --silent --pack-destination '${folder}' ./client`, ROOT);
});

after(() => venue.kill());

test('curl: every read is answered', () => {
  const printed = runSection('curl')!;
  assert.ok(printed.length >= 4);
  for (const text of printed) assert.ok(text !== '' && !text.includes('"error"'), text);
});

test('ethers: its wallet signs for the client library, by REST and by socket', (t) => {
  const printed = runSection('ethers');
  if (printed === null) return t.skip('no registry can be reached');
  assert.deepEqual(printed.at(-1)!.trim().split('\n'), stated('ethers'));
});

test('viem: it signs an order that curl sends', (t) => {
  const printed = runSection('viem');
  if (printed === null) return t.skip('no registry can be reached');
  assert.match(printed.at(-1)!, /"status":"ACKED"/);
});

test('Python: the package places an order by socket and cancels it by REST', {
  skip: spawnSync('/usr/bin/python3', ['-c', 'import websockets']).status !== 0 && 'no /usr/bin/python3 with websockets',
}, () => {
  assert.deepEqual(runSection('Python')!.at(-1)!.trim().split('\n'), stated('Python'));
});

for (const heading of ['ccxt', 'nktkas']) {
  test(`${heading}: its orders go in and out, and its socket tells of the market`, (t) => {
    const printed = runSection(heading);
    if (printed === null) return t.skip('no registry can be reached');
    assert.deepEqual(printed.at(-1)!.trim().split('\n'), stated(heading));
  });
}

/** As freqtrade makes it: `ccxt_config` and the wallet, without a call of `setSandboxMode`, and with the leverage before an order. */
const BOT = `
import { readFileSync } from 'node:fs';
import ccxt from 'ccxt';
const { exchange: { ccxt_config: config } } = JSON.parse(readFileSync('config.json', 'utf8'));
const privateKey = '0x' + '7'.repeat(64);
const exchange = new ccxt.pro.hyperliquid({ ...config, privateKey });
exchange.walletAddress = exchange.options.vaultAddress = exchange.ethGetAddressFromPrivateKey(privateKey);
await exchange.loadMarkets();
await exchange.setMarginMode('cross', 'BTC/USDC:USDC', { leverage: 3 });
const { id } = await exchange.createOrder('BTC/USDC:USDC', 'limit', 'buy', 0.1, 1000);
console.log((await exchange.fetchOrder(id, 'BTC/USDC:USDC')).status);
`;

test('freqtrade: what its configuration hands to ccxt leads to the venue, and its orders are taken', (t) => {
  const [{ text }] = section('freqtrade') as [Block];
  writeFileSync(join(folder, 'config.json'), inHere(text));
  writeFileSync(join(folder, 'bot.mjs'), BOT);
  if (runSection('ccxt') === null) return t.skip('no registry can be reached');
  const { status, stdout, stderr } = run('node bot.mjs', folder);
  assert.equal(status, 0, stderr);
  assert.equal(stdout.trim(), 'open');
});

test('the versions of ccxt and of nktkas are those whose every call is tested', () => {
  const { dependencies } = JSON.parse(read('test/clients/package.json')) as { dependencies: Record<string, string> };
  for (const name of ['ccxt', '@nktkas/hyperliquid']) assert.ok(PAGE.includes(`npm install ${name}@${dependencies[name]}`), name);
});

test('the packages that the page installs have a version', () => {
  const installs = [...PAGE.matchAll(/^npm install (.+)$/gm)].flatMap(([, packages]) => packages!.split(' '));
  assert.ok(installs.length >= 3);
  for (const name of installs) assert.match(name, /^\.\/|[^@]@\d+\.\d+\.\d+$/);
});
