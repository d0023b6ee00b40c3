// The Containerfile: its steps build an image in an empty folder, and its user starts the venue there with its command.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../scripts/venue-process.ts';
import { lacksRegistry } from '../support/registry.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { deployed, INSTALLED, isReady, ROOT, started, until, yamlOf } from './folder.ts';
import { build, instructionsOf } from './image.ts';

type Compose = { services: { venue: { healthcheck: { test: string[] } } } };

const CONTAINERFILE = deployed('Containerfile');
const ENTRY_FLAGS = /node (--.*?) shell\/process\/start\.js/;

/** What is copied from the repository. */
function sources(): readonly string[] {
  const copied = instructionsOf(CONTAINERFILE).filter(([name, rest]) => name === 'COPY' && !rest.startsWith('--from'));
  return copied.flatMap(([, rest]) => rest.split(' ').slice(0, -1));
}

test('its steps, run in an empty folder, give a venue that its user starts, that its health check finds, and that SIGTERM stops', {
  skip: process.getuid?.() !== 0 && 'only root can start a process of another user',
}, async (t) => {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  let image;
  try {
    image = build(CONTAINERFILE, folder);
  } catch (error) {
    if (lacksRegistry(String(error))) return t.skip('no registry can be reached');
    throw error;
  }
  const home = join(image.root, image.workdir);
  const [uid, gid] = image.user as [number, number];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const inFolder = (words: readonly string[]): string[] => words.map((word) => word.replace(INSTALLED, home).replace(':8080', `:${port}`));
  const health = (yamlOf('compose.yaml') as Compose).services.venue.healthcheck.test;
  const isHealthy = (): boolean => {
    const [command, ...args] = inFolder(health.slice(1));
    return spawnSync(command!, args, { cwd: home, uid, gid, env: {} }).status === 0;
  };

  assert.deepEqual(readdirSync(home).sort(), ['LICENSE', 'client', 'data', 'dist', 'node_modules', 'package.json', 'shell']);
  assert.equal(existsSync(join(home, 'node_modules/typescript')), false, 'what only developers need');
  assert.equal(isHealthy(), false);
  const token = { ADMIN_TOKEN: 'a-token-of-the-container-test' };
  const venue = started(t, inFolder(image.entrypoint), { cwd: home, uid, gid, env: { ...image.env, ...token, PORT: String(port) } });
  await until(venue, () => isReady(url));
  assert.equal(isHealthy(), true);
  assert.match(await (await fetch(`${url}/`)).text(), /<title>/);
  const data = statSync(join(image.root, image.volume));
  assert.deepEqual([data.uid, data.mode & 0o777], [uid, 0o700]);
  assert.ok(existsSync(join(image.root, image.volume, 'journal')), 'the volume is the data folder');
  const copy = join(temporaryFolder(t), 'copy');
  chmodSync(dirname(copy), 0o777);
  const [, backup] = /docker compose exec venue sh -c '(.*)'/.exec(deployed('README.md'))!;
  const [words] = inFolder([backup!.replace('/var/tmp/copy', copy)]);
  const copied = spawnSync('sh', ['-c', words!], { cwd: home, uid, gid, env: { ...process.env, ...token }, encoding: 'utf8' });
  assert.equal(copied.status, 0, copied.stderr);
  assert.ok(existsSync(join(copy, 'journal')));
  venue.child.kill('SIGTERM');
  assert.deepEqual(await once(venue.child, 'exit'), [0, null], venue.said());
  for (const line of venue.said().trim().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line);
});

test('its flags of Node, and those of the unit, are those of `npm start`', () => {
  const { scripts } = JSON.parse(deployed('../../package.json')) as { scripts: { start: string } };
  const [, flags] = ENTRY_FLAGS.exec(scripts.start)!;
  const entrypoint = JSON.parse(instructionsOf(CONTAINERFILE).find(([name]) => name === 'ENTRYPOINT')![1]) as string[];
  assert.equal(entrypoint.slice(1, -1).join(' '), flags);
  assert.equal(ENTRY_FLAGS.exec(deployed('strikebook.service'))![1], flags);
});

test('it copies everything that the build reads', () => {
  const build = readFileSync(join(ROOT, 'scripts/build.js'), 'utf8');
  const read = [.../^const SOURCES = \[([^\]]*)\];$/m.exec(build)![1]!.matchAll(/'([^']+)'/g)].map(([, path]) => path!);
  const copied = new Set(sources());
  assert.ok(read.length > 5);
  assert.deepEqual(read.filter((path) => !copied.has(path) && !copied.has(path.split('/')[0]!)), []);
});

test('it copies no file of a venue\'s data and no history', () => {
  assert.ok(sources().length > 5 && sources().every((path) => existsSync(join(ROOT, path))), sources().join());
  assert.deepEqual(sources().filter((path) => /^(\.|\/|data|docs|test)/.test(path)), []);
});
