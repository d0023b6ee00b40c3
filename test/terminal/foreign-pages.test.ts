// Strangers' pages in real Chromium against a venue on loopback: one of another origin on this machine, and one whose name was pointed here
// after it had been loaded (DNS rebinding). They get what a stranger on the network gets, and nothing where the operator shut pages out.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { CHROMIUM, IN_CHROMIUM } from '../support/chromium.ts';
import { temporaryFolder } from '../support/temporary.ts';

const REBOUND = 'evil.example';
/** Chromium itself would ask before a page of the internet reaches this machine. Other browsers do not. */
const UNGUARDED = '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights';
const WALLET = `0x${'2'.repeat(40)}`;
let browser: Browser;
let open: VenueProcess;
let shut: VenueProcess;
let stranger = '';
const folder = temporaryFolder({ after });
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>'));

before(async () => {
  if (CHROMIUM === undefined) return;
  const start = (name: string, ...flags: string[]) => (
    VenueProcess.start({ data: join(folder, name), flags: ['--feed', 'manual', ...flags] })
  );
  [open, shut] = await Promise.all([start('open'), start('shut', '--cors', 'off')]);
  await Promise.all([open.ready(), shut.ready()]);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stranger = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const args = ['--no-sandbox', UNGUARDED, `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
});
after(async () => {
  if (CHROMIUM === undefined) return;
  await browser.close();
  server.closeAllConnections();
  server.close();
  await Promise.all([open.kill(), shut.kill()]);
});

type Told = { readonly [what: string]: unknown };

/** In the page: what it gets of the venue at `url`. An opaque or failed answer is told as such. */
async function attack({ url, token, wallet }: { url: string; token: string; wallet: string }): Promise<Told> {
  const ask = (path: string, init: RequestInit = {}): Promise<string> => fetch(url + path, init).then(
    async (answer) => (answer.type === 'opaque' ? 'opaque' : `${answer.status} ${await answer.text()}`), () => 'failed',
  );
  const halt = { method: 'POST', body: '{"scope":"","mode":"halted"}' };
  const bearer = (text: string) => ({ authorization: `Bearer ${text}`, 'content-type': 'application/json' });
  return {
    read: await ask(`/portfolio?wallet=${wallet}`),
    metrics: await ask('/metrics'),
    plain: await ask('/admin/halt', { ...halt, mode: 'no-cors', headers: { 'content-type': 'text/plain' } }),
    guessed: await ask('/admin/halt', { ...halt, headers: bearer('0123456789abcdef0123456789abcdef') }),
    admin: await ask('/admin/halt', { ...halt, headers: bearer(token) }),
    write: await ask('/order', { method: 'POST', body: `{"wallet":"${wallet}"}`, headers: { 'content-type': 'text/plain' } }),
    image: await new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve('shown');
      image.onerror = () => resolve('failed');
      image.src = `${url}/metrics?image`;
    }),
    frame: await new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.onload = () => {
        try {
          resolve(frame.contentDocument === null ? 'hidden' : String(frame.contentDocument.body.textContent).slice(0, 20));
        } catch {
          resolve('hidden');
        }
      };
      frame.src = `${url}/docs`;
      document.body.append(frame);
    }),
    socket: await new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?wallet=${wallet}`);
      socket.onmessage = () => resolve('open');
      socket.onerror = () => resolve('failed');
    }),
  };
}

async function toldBy(address: string, venue: VenueProcess, url: string, token: string): Promise<Told> {
  const page = await browser.newPage();
  // The page itself comes from the stranger; what it asks for goes where its name leads now.
  await page.route(`${address}/page`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A page</title>' }));
  await page.goto(`${address}/page`);
  const told = await page.evaluate(attack, { url, token, wallet: WALLET });
  await page.close();
  const { data } = await (await fetch(`${venue.url}/markets?include_instruments=false`)).json() as { data: { trading_mode: string }[] };
  assert.ok(data.every(({ trading_mode: mode }) => mode === 'orderbook'), 'nothing is halted');
  return told;
}

const tokenOf = (name: string): string => readFileSync(join(folder, name, 'admin-token'), 'utf8').trim();

test('a page of another origin reads what is public, and writes nothing that is not signed', IN_CHROMIUM, async () => {
  const told = await toldBy(stranger, open, open.url, 'not the token');
  assert.match(String(told['read']), /^200 /);
  for (const what of ['metrics', 'guessed', 'admin']) assert.match(String(told[what]), /^401 /, what);
  assert.deepEqual([told['plain'], told['image'], told['frame'], told['socket']], ['opaque', 'failed', 'hidden', 'open']);
  assert.match(String(told['write']), /^400 /);
});

test('where pages are shut out, a page of another origin gets no answer and no socket, admin token or not', IN_CHROMIUM, async () => {
  const told = await toldBy(stranger, shut, shut.url, tokenOf('shut'));
  const { plain, frame, ...rest } = told;
  assert.deepEqual([plain, frame], ['opaque', 'hidden']);
  for (const [what, got] of Object.entries(rest)) assert.equal(got, 'failed', what);
});

test('a page whose name was pointed to this machine is refused whatever it asks, even with the admin token', IN_CHROMIUM, async () => {
  for (const [name, venue] of [['open', open], ['shut', shut]] as const) {
    const url = `http://${REBOUND}:${new URL(venue.url).port}`;
    const { image, socket, frame, plain, ...rest } = await toldBy(url, venue, url, tokenOf(name));
    assert.deepEqual([image, socket], ['failed', 'failed']);
    const refusal = /^403 \{"error":"forbidden"/;
    for (const [what, got] of Object.entries({ ...rest, plain })) assert.match(String(got), refusal, `${name}: ${what}`);
    assert.match(String(frame), /^(hidden|\{"error":"forbidden)/);
  }
});
