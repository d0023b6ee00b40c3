// Runs a module in headless Chromium, where an import map finds the installed client and its dependencies: nothing is bundled.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { CHROMIUM } from '../support/chromium.ts';

const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions'];
/** Bare names as the package's own imports write them. */
const IMPORTS = {
  '@strikebook/client': '/node_modules/@strikebook/client/dist/client/src/main.js',
  '@noble/curves/': '/node_modules/@noble/curves/', '@noble/hashes/': '/node_modules/@noble/hashes/',
};

/** What the module's `report` was called with; `project` has the packages, `profile` is a folder of the browser's own. */
export async function inChromium(project: string, profile: string, code: string): Promise<unknown> {
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script><script type="module">
    const report = (what) => fetch('/report', { method: 'POST', body: JSON.stringify(what) });
    addEventListener('error', ({ message }) => report({ error: message }));
    addEventListener('unhandledrejection', ({ reason }) => report({ error: String(reason) }));
    ${code}</script>`;
  const reported = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url!, 'http://page').pathname);
    const file = join(project, path);
    if (path === '/') response.setHeader('content-type', 'text/html').end(page);
    else if (path === '/report') {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => { text += part; }).on('end', () => {
        response.end();
        reported.resolve(text);
      });
    } else if (existsSync(file)) createReadStream(file).pipe(response.setHeader('content-type', 'text/javascript'));
    else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const flags = [...FLAGS, `--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`];
  const browser = spawn(CHROMIUM!, flags, { stdio: 'ignore', detached: true });
  const ended = once(browser, 'exit');
  try {
    return JSON.parse(await Promise.race([reported.promise, ended.then(([code]) => { throw new Error(`chromium ended with ${code}`); })]));
  } finally {
    // Its launcher and its children are one group.
    if (browser.exitCode === null) process.kill(-browser.pid!, 'SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
  }
}
