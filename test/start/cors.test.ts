// Which pages may call: every one by default, one origin, or none, as the operator says (decision 6.12).

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BadSetting } from '../../shell/bad-setting.ts';
import { readConfig, type Config } from '../../shell/config.ts';
import { VenueProcess } from '../../scripts/venue-process.ts';

function cors(args: readonly string[], environment: NodeJS.ProcessEnv = {}): string | null {
  return (readConfig(args, environment) as Config).cors;
}

test('every page, one origin or none', () => {
  assert.equal(cors([]), '*');
  assert.equal(cors(['--cors', 'off']), null);
  assert.equal(cors([], { CORS: 'https://app.example' }), 'https://app.example');
  assert.equal(cors(['--cors', 'http://localhost:3000'], { CORS: 'off' }), 'http://localhost:3000');
  for (const text of ['', 'on', 'app.example', 'https://app.example/', 'https://App.example', 'https://a.example https://b.example', 'null',
    'https://app.example:443', 'https://me@app.example', 'ftp://app.example', 'https://app.example\r\nx: y']) {
    assert.throws(() => cors(['--cors', text]), (error) => error instanceof BadSetting && !error.message.includes('\n'), text);
  }
});

test('a venue answers for the origin that it was started with', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'strikebook-cors-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const venue = await VenueProcess.start({ data: join(root, 'data'), flags: ['--feed', 'manual', '--cors', 'https://app.example'] });
  t.after(() => venue.kill());
  await venue.ready();
  const { headers } = await fetch(`${venue.url}/health`);
  assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('vary')], ['https://app.example', 'Origin']);
});
