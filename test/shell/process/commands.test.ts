// The commands of `strikebook`: one table, which the help shows and whose programs are built.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureBuilt } from '../../../scripts/build.js';
import { COMMANDS, commandOf } from '../../../shell/process/commands.js';
import { readConfig } from '../../../shell/process/config.ts';
import { runningVenue } from '../../support/running.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Far above what an answer takes without it. */
const DELAY_MS = 1_000;

test('each command is in the help, and what it runs is built', async () => {
  await ensureBuilt();
  const config = readConfig(['--help'], {});
  assert.ok('help' in config);
  for (const { bundle, does, usage } of COMMANDS) {
    assert.ok(config.help.includes(`  ${usage}`) && config.help.includes(does), usage);
    assert.ok(existsSync(join('dist', bundle)), bundle);
  }
});

test('a name is that of its command, and whatever else comes first is a flag of a venue', () => {
  for (const command of COMMANDS.slice(1)) assert.equal(commandOf([command.name, '--help']), command);
  for (const first of [[], ['--port', '0'], ['scenarios']]) assert.equal(commandOf(first), COMMANDS[0]);
});

test('a venue with a latency answers no earlier, and still takes and streams what it is sent', async (t) => {
  const flags = ['--latency', `${DELAY_MS}`, '--workers', '1'];
  const { venue, http } = await runningVenue(t, { data: join(temporaryFolder(t), 'data'), flags });
  const from = performance.now();
  assert.equal((await http.get('/health')).status, 200);
  assert.ok(performance.now() - from >= DELAY_MS - 1);
  const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/ws`);
  const hello = await new Promise<string>((resolve) => { socket.onmessage = ({ data }) => resolve(String(data)); });
  assert.equal((JSON.parse(hello) as { type: string }).type, 'Hello');
  socket.close();
  assert.equal((await venue.stop()).code, 0);
});
