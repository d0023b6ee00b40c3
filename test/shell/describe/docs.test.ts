// The page that shows the interface description: its headers and parts, and that it names no other host. In a browser, if one is
// installed, the description appears and the page's policy blocks nothing.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Http } from '../../../scripts/client.ts';
import { CHROMIUM, IN_CHROMIUM } from '../../support/chromium.ts';
import { Harness } from '../api/harness.ts';
import type { Document } from './served.ts';


const harness = new Harness();
const http = new Http(harness.url);
after(() => {
  http.close();
  harness.close();
});

test('the page has a content policy, its parts are served and cacheable, and it names no other host', async () => {
  const page = await http.get('/docs');
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/);
  const { 'x-content-type-options': sniff, 'x-frame-options': frame, 'referrer-policy': referrer } = page.headers;
  assert.deepEqual([sniff, frame, referrer], ['nosniff', 'DENY', 'no-referrer']);
  assert.doesNotMatch(page.text, /https?:|<script>|style="| on\w+="/);
  const parts = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+\?[^"]+)"/g)].map((match) => `/${match[1]!}`);
  assert.equal(parts.length, 5);
  const types = new Set<unknown>();
  for (const part of parts) {
    const { status, headers, text } = await http.get(part);
    assert.deepEqual([status, headers['cache-control'], headers['x-content-type-options']], [
      200, 'public, max-age=31536000, immutable', 'nosniff',
    ], part);
    assert.ok(text.length > 100, part);
    types.add(headers['content-type']);
  }
  assert.deepEqual(types, new Set(['image/png', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8']));
});

test('only the page\'s own parts are served, and data answers are not cacheable', async () => {
  for (const name of ['package.json', '..%2Fpackage.json', '%2e%2e', 'swagger-ui.js', '__proto__', 'constructor', 'index.html']) {
    const { status, body } = await http.get(`/docs/${name}`);
    assert.deepEqual([status, (body as { error: string }).error], [404, 'not_found'], name);
  }
  const { headers } = await http.get('/markets');
  assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff']);
});

test('in a browser the page shows every operation, and its policy blocks nothing', IN_CHROMIUM, async () => {
  const { dom, complaints } = await browse('/docs#/');
  const { paths, info } = (await http.get('/openapi.json')).body as Document;
  assert.match(dom, new RegExp(`class="title">${info.title}`));
  // Headings of the description's own words are there, and each operation has its block.
  assert.match(dom, /Signing/);
  for (const path of Object.keys(paths)) assert.ok(dom.includes(`data-path="${path}"`), path);
  assert.deepEqual(complaints, []);
});

test('in a browser the socket page has its style, and its policy blocks nothing', IN_CHROMIUM, async () => {
  const { dom, complaints } = await browse('/docs/socket');
  assert.match(dom, /<h1>Strikebook: the socket<\/h1>/);
  assert.match(dom, /<code>order_updates<\/code>/);
  assert.deepEqual(complaints, []);
});

/** What the page has become, and what the browser had against it. */
async function browse(page: string): Promise<{ readonly dom: string; readonly complaints: readonly string[] }> {
  const profile = mkdtempSync(join(tmpdir(), 'browser-'));
  try {
    const { stdout: dom, stderr } = await promisify(execFile)(CHROMIUM!, [
      // The page renders only the operations in its window.
      '--window-size=1000,20000', '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profile}`,
      '--enable-logging=stderr',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--virtual-time-budget=30000', '--timeout=60000', '--dump-dom',
      `${harness.url}${page}`,
    ], { maxBuffer: 64 * 1_048_576, timeout: 120_000 });
    const lines = stderr.split('\n').filter((line) => /CONSOLE/.test(line) && /Content Security Policy|Refused|Error/.test(line));
    return { dom, complaints: lines };
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
