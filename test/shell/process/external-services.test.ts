// The settings for external services: addresses and the feed. A bad value is refused in one line, which never repeats an address, because
// it may hold a key.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';

const FLAGS = ['--hyperliquid-ws', '--hyperliquid-info', '--gas-rpc'] as const;
const VARIABLES = ['HYPERLIQUID_WS_URL', 'HYPERLIQUID_INFO_URL', 'GAS_RPC_URL'] as const;

test('addresses default to Hyperliquid\'s public ones and no node, and flags override them', () => {
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

test('an invalid address is refused in one line that does not repeat it', () => {
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

test('an unknown feed, and a simulated clock with an external feed, are refused', () => {
  assert.throws(() => readConfig(['--feed', 'binance'], {}), /^BadSetting: --feed must be sim or manual or hyperliquid, not "binance"$/);
  assert.throws(() => readConfig(['--feed', 'hyperliquid', '--clock-speed', '60'], {}), /--clock-speed need --feed sim or manual/);
});
