// --broker-options: a file of credentials and certificates, private, without surprises; with TLS brokers are given by name.

import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brokerOptions } from '../../../shell/process/broker-options.ts';
import type { ClusterConfig } from '../../../shell/process/cluster-settings.ts';
import { StartRefusal } from '../../../shell/process/start-refusal.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const CLUSTER: ClusterConfig = {
  servers: ['nats://a:4222', 'nats://b:4222'], optionsFile: null, node: 'one', keyFile: 'key', isNew: false, appendsLost: false,
  logBytes: 0, logHours: 0, logReplicas: 3, role: 'standby', url: '', reads: 'lease',
};

test('without a file, the addresses are all; tls: never connects without TLS', () => {
  assert.deepEqual(brokerOptions(CLUSTER), { servers: CLUSTER.servers });
  assert.deepEqual(brokerOptions({ ...CLUSTER, servers: ['tls://a:4222'] }), { servers: ['tls://a:4222'], tls: {} });
});

test('credentials and certificates are taken from the file', (t) => {
  const file = join(temporaryFolder(t), 'options.json');
  const options = { user: 'venue', pass: 'word', tls: { caFile: file } };
  writeFileSync(file, JSON.stringify(options), { mode: 0o600 });
  assert.deepEqual(brokerOptions({ ...CLUSTER, optionsFile: file }), { ...options, servers: CLUSTER.servers });
});

test('a file that others can read, or that holds anything else, is refused by name', (t) => {
  const file = join(temporaryFolder(t), 'options.json');
  const refused = (text: string, told: RegExp, servers = CLUSTER.servers): void => {
    writeFileSync(file, text, { mode: 0o600 });
    const isRefused = (error: unknown): boolean => error instanceof StartRefusal && told.test(error.message);
    assert.throws(() => brokerOptions({ ...CLUSTER, servers, optionsFile: file }), isRefused, text);
  };
  refused('{', /must hold a JSON object/);
  refused('[]', /must hold a JSON object/);
  refused('{"password":"x"}', /has password; it may have user, pass, token and tls/);
  refused('{"user":1}', /must have a text as user/);
  refused('{"tls":true}', /must have an object as tls/);
  refused('{"tls":{"rejectUnauthorized":false}}', /has rejectUnauthorized in tls; it may have caFile, certFile, keyFile/);
  refused('{"tls":{"caFile":"/nowhere/ca.pem"}}', /names as caFile a file that cannot be read: .*nowhere/);
  refused('{"tls":{}}', /by the name in their certificates, not nats:\/\/10\.0\.0\.1:4222/, ['nats://10.0.0.1:4222']);
  refused('{}', /by the name in their certificates, not tls:\/\/\[::1\]:4222/, ['tls://[::1]:4222']);
  chmodSync(file, 0o644);
  assert.throws(() => brokerOptions({ ...CLUSTER, optionsFile: file }), /others can read/);
});
