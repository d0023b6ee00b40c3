// The systemd unit: systemd accepts it and rates its sandbox, and its command with its environment is a venue that stops cleanly.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ensureBuilt } from '../../scripts/build.js';
import { freePort } from '../../scripts/venue-process.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { deployed, INSTALLED, isReady, replaced, ROOT, started, until } from './folder.ts';

const ANALYZE = '/usr/bin/systemd-analyze';
const DATA = '/srv/strikebook-data';
/** Of systemd's rating, in tenths: above it a line of the sandbox has gone. */
const EXPOSURE = 30;

/** Of the data folder, then the command. */
const SANDBOX = 'mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / && '
  + 'exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$@"';

const UNIT = deployed('strikebook.service');
const valueOf = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(UNIT)?.[1] ?? assert.fail(`no ${key}`);

test('systemd accepts the unit, and rates its sandbox', {
  skip: !existsSync(ANALYZE) && `no ${ANALYZE}`,
}, (t) => {
  const file = join(temporaryFolder(t), 'strikebook.service');
  writeFileSync(file, replaced(UNIT, [[`${INSTALLED}/`, ROOT], [`=${INSTALLED}\n`, `=${ROOT}\n`]]));
  const analyze = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(ANALYZE, args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    return stdout + stderr;
  };
  assert.equal(analyze('verify', file), '');
  analyze('security', '--offline=true', `--threshold=${EXPOSURE}`, file);
});

async function startAndStop(t: TestContext, inSandbox: (data: string) => readonly string[]): Promise<void> {
  await ensureBuilt();
  const [data, port] = [temporaryFolder(t), await freePort()];
  const inHere = (text: string): string => text.replace(DATA, data).replace(`${INSTALLED}/`, ROOT).replace(INSTALLED, ROOT);
  const env = Object.fromEntries(inHere(valueOf('Environment')).split(' ').map((pair) => pair.split('='))) as Record<string, string>;
  assert.equal(env['DATA_DIR'], data);
  const cwd = inHere(valueOf('WorkingDirectory'));
  const venue = started(t, [...inSandbox(data), ...inHere(valueOf('ExecStart')).split(' ')], { cwd, env: { ...env, PORT: String(port) } });
  await until(venue, () => isReady(`http://127.0.0.1:${port}`));
  const info = await (await fetch(`http://127.0.0.1:${port}/exchange-info`)).json() as { signing_domain: { name: string } };
  assert.equal(info.signing_domain.name, env['SERVICE_NAME']);
  venue.child.kill('SIGTERM');
  assert.deepEqual(await once(venue.child, 'exit'), [0, null], venue.said());
}

test('the unit\'s command and environment start a venue in its data folder, and its signal stops it', (t) => startAndStop(t, () => []));

test('they do with a read-only root and no privileges, much as the unit\'s sandbox has them', {
  skip: spawnSync('unshare', ['--mount', 'setpriv', '--version']).status !== 0 && 'unshare may not make a mount namespace',
}, (t) => startAndStop(t, (data) => ['unshare', '--mount', 'sh', '-c', SANDBOX, data]));

test('the unit writes nowhere but into its data folder, and no refused start is repeated', () => {
  assert.deepEqual([valueOf('ProtectSystem'), valueOf('ReadWritePaths'), valueOf('RequiresMountsFor')], ['strict', DATA, DATA]);
  assert.equal(valueOf('RestartPreventExitStatus'), '2');
});
