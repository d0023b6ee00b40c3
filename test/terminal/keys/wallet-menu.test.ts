// The wallet menu in real Chromium against a real venue: a throwaway key, an agent approved by a wallet on another chain, and a page over
// plain HTTP from another machine.

import assert from 'node:assert/strict';
import { createServer, request as ask } from 'node:http';
import { before, after, test } from 'node:test';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { connect } from '../../../client/src/main.ts';
import { option, startVenue } from '../../client/venue.ts';
import { seriousFaults } from '../../support/axe.ts';
import { CHROMIUM, IN_CHROMIUM } from '../../support/chromium.ts';

/** A name that is not loopback for the browser, so that its pages are no secure context. */
const ELSEWHERE = 'venue.test';
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";
const ENTRY = 'test/terminal/keys/wallet-page.tsx';

let browser: Browser;
let port = 0;
let url = '';
const ends: (() => unknown)[] = [];

before(async () => {
  if (CHROMIUM === undefined) return;
  const venue = await startVenue({ after: (end: () => unknown) => void ends.push(end) } as never);
  url = venue.url;
  const { outputFiles } = await build({
    entryPoints: [ENTRY, 'client/terminal/style.css'], bundle: true, write: false, format: 'esm', outdir: 'out', jsx: 'automatic',
    jsxImportSource: 'preact', target: 'es2024', loader: { '.css': 'css' },
  });
  const files = new Map(outputFiles.map(({ path, text }) => [path.endsWith('.css') ? '/style.css' : '/page.js', text]));
  files.set('/', '<!doctype html><html lang="en"><title>Keys</title><meta name="color-scheme" content="dark light">'
    + '<link rel="icon" href="data:,"><link rel="stylesheet" href="style.css"><main id="page"></main>'
    + '<script type="module" src="page.js"></script>');
  const server = createServer((request, response) => {
    const file = files.get(request.url!);
    const type = request.url!.endsWith('.css') ? 'text/css' : request.url === '/' ? 'text/html' : 'text/javascript';
    if (file !== undefined) return void response.setHeader('content-type', type).setHeader('content-security-policy', POLICY).end(file);
    const length = request.headers['content-length'];
    const headers = { 'content-type': 'application/json', ...(length !== undefined && { 'content-length': length }) };
    const onward = ask(`${url}${request.url}`, { method: request.method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
      answer.pipe(response);
    });
    return void request.pipe(onward);
  }).listen(0, '127.0.0.1');
  ends.push(() => server.closeAllConnections(), () => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  port = (server.address() as { port: number }).port;
  const args = ['--no-sandbox', `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
  ends.unshift(() => browser.close());
});

after(async () => {
  for (const end of ends) await end();
});

async function open(host = '127.0.0.1') {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => { if (message.type() === 'error') faults.push(message.text()); });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => { if (new URL(request.url()).hostname !== host) faults.push(`asked ${request.url()}`); });
  await page.goto(`http://${host}:${port}/`);
  await page.getByRole('button', { name: 'Connect' }).click();
  return { faults, page };
}

async function summary(page: Page): Promise<string> {
  return page.locator('.wallet-menu > button').innerText();
}

test('a visitor trades with a throwaway key after one click, keeps it over a reload, takes it along and forgets it',
  IN_CHROMIUM, async () => {
  const { faults, page } = await open();
  const { symbol, low } = await option(await connect(url));
  await page.getByRole('button', { name: 'Try with a throwaway key' }).click();
  await page.getByText('Nobody can restore it').waitFor();
  const shown = await summary(page);
  assert.match(shown, /^Throwaway 0x[0-9a-f]{4}…[0-9a-f]{4}$/);
  const placed = await page.evaluate(([what, price]) => (globalThis as never as { order(...of: unknown[]): unknown }).order(what, price),
    [symbol, low]);
  assert.equal((placed as { status: string }).status, 'ACKED');
  await page.reload();
  await page.getByRole('button', { name: 'Throwaway' }).click();
  assert.equal(await summary(page), shown);
  assert.deepEqual(await seriousFaults(page), []);
  await page.getByRole('button', { name: 'Show the private key' }).click();
  assert.match(await page.getByLabel('Private key').inputValue(), /^0x[0-9a-f]{64}$/);
  await page.getByRole('button', { name: 'Forget this key' }).click();
  await page.getByRole('button', { name: 'Forget it for good' }).click();
  await page.getByRole('button', { name: 'Try with a throwaway key' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a wallet on another chain is switched, approves an agent that trades and outlives a reload, and revokes it',
  IN_CHROMIUM, async () => {
  const { faults, page } = await open();
  const client = await connect(url);
  const { symbol, low } = await option(client);
  await page.getByRole('button', { name: 'Connect Stand-in' }).click();
  await page.getByRole('button', { name: 'Approve an agent key for 24 hours' }).click();
  await page.getByText('An agent key in this page signs').waitFor();
  assert.match(await page.locator('.wallet-panel').innerText(), /\(2[34] h \d+ min left\)/);
  const wallet = await page.locator('.wallet-panel dd').first().innerText();
  const { agents } = await client.get('/authorized-agents', { wallet });
  assert.equal(agents.length, 1);
  assert.ok((await page.locator('.wallet-panel').innerText()).includes(agents[0]!));
  const placed = await page.evaluate(([what, price]) => (globalThis as never as { order(...of: unknown[]): unknown }).order(what, price),
    [symbol, low]);
  assert.equal((placed as { status: string }).status, 'ACKED');
  assert.deepEqual(await seriousFaults(page), []);
  await page.reload();
  await page.getByRole('button', { name: 'Agent' }).click();
  await page.getByRole('button', { name: 'Revoke the agent key' }).click();
  await page.getByText('Connect the wallet first').waitFor();
  await page.getByRole('button', { name: 'Connect Stand-in' }).click();
  await page.getByRole('button', { name: 'Revoke the agent key' }).click();
  await page.getByText('Your wallet asks you for every order').waitFor();
  assert.deepEqual((await client.get('/authorized-agents', { wallet })).agents, []);
  assert.deepEqual(faults, []);
});

test('over plain HTTP from another machine a key lives in memory only, the page says why, and a reload loses it',
  IN_CHROMIUM, async () => {
  const { faults, page } = await open(ELSEWHERE);
  assert.equal(await page.evaluate(() => crypto.subtle === undefined), true);
  await page.getByText('came over plain HTTP from another machine').waitFor();
  await page.getByRole('button', { name: 'Try with a throwaway key' }).click();
  await page.getByText('Nobody can restore it').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.reload();
  await page.getByRole('button', { name: 'Connect' }).waitFor();
  assert.deepEqual(faults, []);
});
