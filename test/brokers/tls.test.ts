// Brokers with TLS on both sides: nodes lead and follow over it, and who cannot show or check a certificate is refused by name. Skipped
// without nats-server or openssl.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { option, trader } from '../client/venue.ts';
import { leads, reaches, TestCluster, until } from '../support/cluster.ts';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { Brokers, makeCertificate, MISSING, passwordOf, tlsOf } from './brokers.ts';

const NO_OPENSSL = spawnSync('openssl', ['version']).error !== undefined && 'openssl is not installed';
const options = { timeout: 240_000, skip: MISSING !== false ? MISSING : NO_OPENSSL };

test('nodes reach brokers over TLS; without the right certificate, or without TLS at all, they are refused by name', options, async (t) => {
  const ends = lastFirst(t);
  const certificate = makeCertificate(temporaryFolder(ends), 'right');
  const cluster = await TestCluster.start(ends, certificate);
  const one = await cluster.first('one', temporaryFolder(ends));
  const two = await cluster.node('two', temporaryFolder(ends));
  await two.ready();
  const client = await trader(one.url);
  const { symbol, low } = await until('a market is listed', () => option(client));
  assert.equal((await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low })).status, 'ACKED');
  await reaches(two, client.seq);
  await one.kill();
  await leads(two);

  const user = { user: 'venue', pass: passwordOf('venue') };
  const wrong = makeCertificate(temporaryFolder(ends), 'wrong');
  const refused = async (options: object, told: RegExp, more: readonly string[] = []): Promise<void> => {
    const file = cluster.writeOptions('refused', options);
    const { code, err } = await (await cluster.node('three', temporaryFolder(ends), ['--broker-options', file, ...more])).ended;
    assert.match(err, told);
    assert.equal(code, 2);
  };
  await refused({ ...user, tls: { ...tlsOf(certificate), caFile: wrong.cert } }, /--replicate: .*self-signed certificate/);
  await refused({ ...user, tls: tlsOf({ ...wrong }) }, /--replicate: .*self-signed certificate/);
  await refused({ ...user, tls: { caFile: certificate.cert } }, /--replicate: .*(certificate required|bad certificate)/);
  await refused({ ...user, pass: 'wrong' }, /--replicate: .*Authorization Violation/i);
  const byAddress = cluster.brokers.urls.replaceAll('localhost', '127.0.0.1');
  await refused(user, /give brokers by the name in their certificates, not tls:\/\/127\.0\.0\.1/, ['--replicate', byAddress]);
  const plain = await Brokers.start();
  ends.after(() => plain.end());
  const bare = plain.urls.replaceAll('nats://127.0.0.1', 'tls://localhost');
  await refused({ ...user, tls: {} }, /--replicate: server does not support 'tls'/, ['--replicate', bare]);
});
