// The compose file fits what it starts: the Containerfile, the settings of the venue, the proxy, Prometheus and Grafana.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEPLOY, deployed, INSTALLED, ROOT, yamlOf } from './folder.ts';
import { instructionsOf } from './image.ts';

type Service = {
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly stop_grace_period?: string;
  readonly volumes: readonly string[];
};
type Name = 'venue' | 'caddy' | 'prometheus' | 'grafana';
type Compose = {
  readonly services: Readonly<Record<Name, Service>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
  readonly volumes: Readonly<Record<string, object>>;
};
type Scrape = {
  readonly scrape_configs: readonly [{
    readonly authorization: { readonly credentials_file: string };
    readonly static_configs: readonly [{ readonly targets: readonly string[] }];
  }];
};

const COMPOSE = yamlOf('compose.yaml') as Compose;
const { venue, caddy, prometheus, grafana } = COMPOSE.services;
const image = new Map(instructionsOf(deployed('Containerfile')));
type Mount = [from: string, to: string, mode?: string];
const mounts = Object.values(COMPOSE.services).flatMap(({ volumes }) => volumes.map((text) => text.split(':') as Mount));

test('the venue is built from the root of the repository, and its data is on a volume', () => {
  assert.equal(join(DEPLOY, venue.build!.context), ROOT.replace(/\/$/, ''));
  assert.equal(join(ROOT, venue.build!.dockerfile), join(DEPLOY, 'Containerfile'));
  assert.deepEqual(venue.volumes, [`venue:${image.get('VOLUME')}`]);
  assert.equal(image.get('VOLUME'), `${INSTALLED}/data`);
});

test('every mounted file is there and read-only, every volume is declared, and none is declared in vain', () => {
  const files = mounts.filter(([from]) => from.startsWith('.'));
  assert.ok(files.length >= 5);
  for (const [from, , mode] of files) assert.ok(existsSync(join(DEPLOY, from)) && mode === 'ro', from);
  const named = mounts.map(([from]) => from).filter((from) => !from.startsWith('.'));
  assert.deepEqual(named.sort(), Object.keys(COMPOSE.volumes).sort());
});

test('what the venue is told are settings that it has', () => {
  const table = readFileSync(join(ROOT, 'docs/SETTINGS.md'), 'utf8').matchAll(/^\| `--\S+` \| `(\w+)`/gm);
  const settings = new Set([...table].map(([, name]) => name));
  const told = [...Object.keys(venue.environment!), ...image.get('ENV')!.split(' ').map((pair) => pair.split('=')[0]!)];
  assert.deepEqual(told.filter((name) => !settings.has(name)), []);
  assert.ok(told.includes('HOST') && told.includes('ADMIN_TOKEN'));
});

test('only the proxy is public, and Grafana is for this machine', () => {
  const published = Object.entries(COMPOSE.services).flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
  assert.deepEqual(published, ['caddy 80:80', 'caddy 443:443', 'grafana 127.0.0.1:3000:3000']);
});

test('the proxy, Prometheus and Grafana ask where the others listen, by a name that the venue takes', () => {
  const address = `venue:${image.get('EXPOSE')}`;
  assert.equal(caddy.environment!['UPSTREAM'], address);
  const [{ static_configs: [{ targets }], authorization }] = (yamlOf('prometheus.yml') as Scrape).scrape_configs;
  assert.deepEqual(targets, [address]);
  assert.ok(venue.environment!['ALLOWED_HOSTS']!.split(',').includes('venue'));
  assert.deepEqual(prometheus.secrets!.map((name) => `/run/secrets/${name}`), [authorization.credentials_file]);
  assert.deepEqual(prometheus.secrets!.map((name) => COMPOSE.secrets[name]!.environment), ['ADMIN_TOKEN']);
  const { datasources: [source] } = yamlOf('grafana/datasources.yaml') as { datasources: [{ type: string; url: string }] };
  assert.deepEqual([source.type, source.url], ['prometheus', 'http://prometheus:9090']);
});

test('Grafana finds the dashboard where it looks for dashboards', () => {
  const { providers: [{ options: { path } }] } = yamlOf('grafana/dashboards.yaml') as { providers: [{ options: { path: string } }] };
  const folders = grafana.volumes.map((text) => text.split(':')).filter(([, to]) => to!.startsWith(`${path}/`));
  assert.deepEqual(folders.map(([from]) => from), ['./grafana/dashboard.json']);
});

test('what must be set has no default, and every variable of the file is in the line that makes .env', () => {
  const text = deployed('compose.yaml');
  const variables = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
  const made = /printf '(.*)' venue/.exec(text)![1]!.matchAll(/([A-Z_]+)=%s/g);
  assert.deepEqual([...made].map(([, name]) => name).sort(), [...variables].sort());
  for (const secret of ['SERVICE_NAME', 'ADMIN_TOKEN', 'GRAFANA_PASSWORD']) assert.match(text, new RegExp(`\\$\\{${secret}:\\?`));
});

test('the engine waits for the snapshot of a stop, which ends by itself after 10 s', () => {
  assert.ok(Number.parseInt(venue.stop_grace_period!, 10) > 10);
});
