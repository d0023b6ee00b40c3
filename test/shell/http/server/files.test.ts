// How many connections fit the process's limit of open files. In a venue with a low limit, idle strangers take none of the files that the
// venue itself needs.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Http } from '../../../../scripts/client.ts';
import { freePort } from '../../../../scripts/venue-process.ts';
import { BadSetting } from '../../../../shell/process/bad-setting.ts';
import { BOUNDS } from '../../../../shell/http/limits.ts';
import { connectionsOf, openFilesWarning } from '../../../../shell/process/open-files.ts';

const START = fileURLToPath(new URL('../../../../shell/process/start.js', import.meta.url));

test('the files that the venue does not need become connections, up to the bound', () => {
  assert.equal(connectionsOf(4_096, 2), 1_920);
  assert.equal(connectionsOf(4_096, 1), 3_840);
  assert.equal(connectionsOf(1_048_576, 16), BOUNDS.connections);
  assert.equal(connectionsOf(Infinity, 1), BOUNDS.connections);
  assert.equal(connectionsOf(100, 1), 0);
});

test('a low file limit gives a warning, and one that is too low a refusal; each line has the numbers', () => {
  assert.equal(openFilesWarning(4_096, 2), null);
  assert.equal(openFilesWarning(Infinity, 16), null);
  assert.equal(openFilesWarning(1_024, 1),
    'the process may open 1024 files, which leaves 768 connections to each of 1 api threads: with 12256 files (ulimit -n) it is 12000');
  assert.match(openFilesWarning(256 + 2 * 16, 2)!, /leaves 16 connections to each of 2 api threads/);
  assert.throws(() => openFilesWarning(256 + 2 * 16 - 1, 2), (error: unknown) => error instanceof BadSetting
    && /^the process may open 287 files, which leaves 15 connections .*: at least 288 files are needed \(ulimit -n\)$/.test(error.message));
});

/** A venue whose process may open so many files, once it is ready. */
async function venueOf(t: TestContext, files: number): Promise<{ port: number; isOver(): boolean; told(): string }> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-files-'));
  const port = await freePort();
  const args = [START, '--port', String(port), '--data', join(folder, 'data'), '--workers', '1', '--feed', 'manual'];
  const child = spawn('sh', ['-c', `ulimit -n ${files} && exec "$0" "$@"`, process.execPath, ...args]);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => { out += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { err += text; });
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  t.after(async () => {
    child.kill('SIGKILL');
    if (!isOver()) await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
  while (!out.includes('is ready at')) {
    assert.equal(isOver(), false, err);
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  }
  return { port, isOver, told: () => err };
}

test('with a low file limit, 400 idle connections do not stop the venue from opening its own files', async (t) => {
  const { port, isOver, told } = await venueOf(t, 320);
  assert.match(told(), /^strikebook: the process may open 320 files, which leaves 64 connections to each of 1 api threads: [^\n]+\n$/);
  const http = new Http(`http://127.0.0.1:${port}`, { connections: 1 });
  t.after(() => http.close());
  assert.equal((await http.get('/ready')).status, 200);
  const idle = await Promise.all(Array.from({ length: 400 }, () => new Promise<net.Socket>((resolve) => {
    const socket: net.Socket = net.connect(port, '127.0.0.1', () => resolve(socket)).on('error', () => resolve(socket));
  })));
  t.after(() => { for (const socket of idle) socket.destroy(); });
  const { status, text } = await http.get('/exchange-info');
  assert.equal(status, 200, text);
  assert.match((await http.get('/metrics')).text, /^strikebook_http_connections_refused_total \d+$/m);
  assert.equal(isOver(), false);
});
