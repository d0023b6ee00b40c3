// The banner goes to standard output; a warning is a line of its own on standard error.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { banner, sharedDomainWarning } from '../../../shell/process/banner.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import type { State } from '../../../core/engine/state.ts';

const configOf = (...flags: string[]): Config => readConfig(flags, {}) as Config;

test('the default signing domain name on a public address gives a warning, which is not part of the banner', () => {
  for (const host of ['0.0.0.0', '::', '203.0.113.7', '2001:db8::1', '::ffff:203.0.113.7']) {
    assert.match(sharedDomainWarning(configOf('--host', host))!, new RegExp(`SERVICE_NAME is the default on ${host}, `), host);
    assert.equal(sharedDomainWarning(configOf('--host', host, '--service-name', 'Another')), null);
    assert.doesNotMatch(JSON.stringify(banner(configOf('--host', host), { clock: [] } as never as State)), /warning|SERVICE_NAME/);
  }
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
    assert.equal(sharedDomainWarning(configOf('--host', host)), null, host);
  }
});

test('the commands in the banner are quoted when the shell would expand their URL', () => {
  const commandsOf = (host: string): string[] => (
    banner(configOf('--host', host), { clock: [] } as never as State).more.split('\n').slice(-3)
  );
  for (const line of commandsOf('::1')) assert.match(line, /^ +(curl|npm run -s order -- --url) 'http:\/\/\[::1\]:8080[^']*'$/);
  assert.match(commandsOf('127.0.0.1')[0]!, /^ +curl http:\/\/127\.0\.0\.1:8080\/ready$/);
});
