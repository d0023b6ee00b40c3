// The settings of what a venue asks of others: addresses and the feed, with one clear line and exit code 2 for what is none, and
// no word of an address that may hold a key.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BadSetting } from '../../shell/bad-setting.ts';
import { readConfig, type Config } from '../../shell/config.ts';

const START = fileURLToPath(new URL('../../shell/start.js', import.meta.url));
const FLAGS = ['--hyperliquid-ws', '--hyperliquid-info', '--gas-rpc'] as const;
const VARIABLES = ['HYPERLIQUID_WS_URL', 'HYPERLIQUID_INFO_URL', 'GAS_RPC_URL'] as const;

test('addresses are Hyperliquid\'s public ones, no node, and what is given', () => {
  const config = readConfig([], {}) as Config;
  assert.equal(config.hyperliquidWs, 'wss://api.hyperliquid.xyz/ws');
  assert.equal(config.hyperliquidInfo, 'https://api.hyperliquid.xyz/info');
  assert.equal(config.gasRpc, null);
  const given = readConfig(['--gas-rpc', 'https://node.example/v1?key=abc', '--feed', 'hyperliquid'], {
    HYPERLIQUID_WS_URL: 'ws://127.0.0.1:9/ws', HYPERLIQUID_INFO_URL: 'http://[::1]:9/info', GAS_RPC_URL: 'http://other', FEED: 'sim',
  }) as Config;
  assert.equal(given.feed, 'hyperliquid');
  assert.equal(given.hyperliquidWs, 'ws://127.0.0.1:9/ws');
  assert.equal(given.hyperliquidInfo, 'http://[::1]:9/info');
  assert.equal(given.gasRpc, 'https://node.example/v1?key=abc');
});

test('what is no address is one line that does not repeat it', () => {
  const bad = [
    'nowhere', 'ftp://s3cret.example', '//s3cret.example', 'http:/', 'http://', 'https://user:s3cret@node.example',
    'http://node.example/#s3cret', 'http://s3 cret', 's3cret.example:8545', 'javascript:s3cret',
  ];
  for (const [at, flag] of FLAGS.entries()) {
    for (const text of [...bad, flag === '--hyperliquid-ws' ? 'https://s3cret.example' : 'wss://s3cret.example']) {
      for (const read of [() => readConfig([flag, text], {}), () => readConfig([], { [VARIABLES[at]!]: text })]) {
        assert.throws(read, (error) => {
          assert.ok(error instanceof BadSetting, `${flag} ${text}`);
          assert.ok(error.message.startsWith(`${flag} must be an address that begins with `), error.message);
          assert.match(error.message, /(ws:\/\/ or wss|http:\/\/ or https):\/\/, [^\n]+$/);
          assert.doesNotMatch(error.message, /s3cret/);
          return true;
        });
      }
    }
  }
});

test('a feed that is none, and a clock of one\'s own with prices of others, are refused', () => {
  assert.throws(() => readConfig(['--feed', 'binance'], {}), /^BadSetting: --feed must be sim or manual or hyperliquid, not "binance"$/);
  assert.throws(() => readConfig(['--feed', 'hyperliquid', '--clock-speed', '60'], {}), /--clock-speed go with --feed sim or manual/);
});

test('a start with a bad address says one line and ends with code 2', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-outside-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, GAS_RPC_URL: 'not an address' };
  const args = [START, '--port', '0', '--data', join(folder, 'data')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  assert.equal(status, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /^strikebook: --gas-rpc must be an address [^\n]+\n$/);
});
