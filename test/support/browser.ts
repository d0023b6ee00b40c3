// Chromium on the trading page of a venue under test. It collects what must never happen on the page: errors in the console, exceptions,
// requests to another host, violations of the page's policy. Any of them fails the test at its end.

import assert from 'node:assert/strict';
import { chromium, type BrowserContextOptions, type Page, type WebSocketRoute } from 'playwright-core';
import { CHROMIUM } from './chromium.ts';
import { lastFirst, type Ends } from './temporary.ts';

/** Tests in a browser: `{ skip: !HAS_CHROMIUM && 'no Chromium is installed' }`. */
export const HAS_CHROMIUM = CHROMIUM !== undefined;

/** Other tests make networks of their own on this machine: Chromium then gives up what it asks for, and the page asks again. */
const NETWORK_CHANGED = /ERR_NETWORK_CHANGED/;
export const DESK = { width: 1280, height: 720 };
export const PHONE = { width: 390, height: 844 };

type PageOptions = BrowserContextOptions & {
  /** Path and query; by default the page itself. */
  readonly path?: string;
  /** Errors in the console that the test causes, such as those of a venue that is away. */
  readonly expected?: RegExp;
};

/** Opens the page of the venue at `url`. The browser is closed, and what went wrong reported, at the end of the test. */
export async function openPage(t: Ends, url: string, { path = '/', expected, ...options }: PageOptions = {}): Promise<Page> {
  assert.ok(CHROMIUM !== undefined, 'Chromium is installed');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  const problems: string[] = [];
  const tell = (text: string): void => { if (expected?.test(text) !== true && !NETWORK_CHANGED.test(text)) problems.push(text); };
  lastFirst(t).after(async () => {
    await browser.close();
    assert.deepEqual(problems, []);
  });
  const context = await browser.newContext({ viewport: DESK, ...options });
  const page = await context.newPage();
  const { host } = new URL(url);
  page.on('console', (message) => { if (message.type() === 'error') tell(`console: ${message.text()}`); });
  page.on('pageerror', (error) => tell(`exception: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (/^(https?|wss?):$/.test(asked.protocol) && asked.host !== host) tell(`request to another host: ${asked.href}`);
  });
  page.on('websocket', (socket) => {
    if (new URL(socket.url()).host !== host) tell(`socket to another host: ${socket.url()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => tell(`policy: ${text}`));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => {
    reportViolation(event.violatedDirective + ' ' + event.blockedURI);
  });`);
  await page.goto(url + path);
  return page;
}

/** From the next load on. The sockets are then not in a thread of the page, where nobody can come between. */
export async function routeSockets(page: Page, between: (socket: WebSocketRoute) => void): Promise<void> {
  await page.addInitScript('delete globalThis.Worker');
  await page.routeWebSocket(/\/ws/, between);
}
