// Runs a file of the Python tests against a venue of its own; each test of the file becomes a subtest.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { PYTHON } from '../support/python.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = 'test/python';
/** What starts a venue, for the tests that kill one. */
const START = join(ROOT, 'shell/process/start.js');
const TOKEN = 'token-of-the-python-tests';
const LONGEST_MS = 240_000;
/** Prices by hand, so that nothing moves but what a test moves. */
const FLAGS = ['--feed', 'manual', '--admin-token', TOKEN, '--rate-limits', 'off', '--workers', '1'];

/** Where conftest.py writes a line for each test. */
const REPORTS_FD = 3;

type Report = { readonly title: string; readonly outcome: 'passed' | 'failed' | 'skipped'; readonly reason: string };

async function reportsOf(file: string, ofVenue: NodeJS.ProcessEnv): Promise<{ reports: Report[]; out: string }> {
  const env = {
    ...process.env, ...ofVenue, PYTHONPATH: join(ROOT, 'client/python/src'), PYTHONDONTWRITEBYTECODE: '1',
    STRIKEBOOK_REPORTS: String(REPORTS_FD),
  };
  const child = spawn(PYTHON!, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(HERE, file)], {
    cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], timeout: LONGEST_MS, killSignal: 'SIGKILL',
  });
  let out = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (text: string) => { out += text; });
  const reported = text(child.stdio[REPORTS_FD] as Readable);
  const code = await new Promise((resolve) => child.once('close', resolve));
  const reports = (await reported).split('\n').filter(Boolean).map((line) => JSON.parse(line) as Report);
  return { reports, out: `${out}exit code ${String(code)}` };
}

async function passOn(t: TestContext, { title, outcome, reason }: Report): Promise<void> {
  await t.test(title, (one) => {
    if (outcome === 'skipped') return one.skip(`not here: ${reason}`);
    assert.equal(outcome, 'passed', reason);
  });
}

export async function runPython(t: TestContext, file: string): Promise<void> {
  const data = join(temporaryFolder(t), 'data');
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  t.after(() => venue.kill());
  await venue.ready();
  const { reports, out } = await reportsOf(file, {
    STRIKEBOOK_URL: venue.url, STRIKEBOOK_TOKEN: TOKEN, STRIKEBOOK_VENUE: JSON.stringify([process.execPath, START]),
  });
  assert.ok(reports.length > 0 && out.endsWith('exit code 0') === reports.every(({ outcome }) => outcome !== 'failed'), out);
  for (const report of reports) await passOn(t, report);
}
