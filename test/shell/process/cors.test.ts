// Which web pages may call the venue: all by default, one origin, or none (decision 6.12).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadSetting } from '../../../shell/process/bad-setting.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';

function cors(args: readonly string[], environment: NodeJS.ProcessEnv = {}): string | null {
  return (readConfig(args, environment) as Config).cors;
}

test('--cors allows every page by default, or one origin, or none', () => {
  assert.equal(cors([]), '*');
  assert.equal(cors(['--cors', 'off']), null);
  assert.equal(cors([], { CORS: 'https://app.example' }), 'https://app.example');
  assert.equal(cors(['--cors', 'http://localhost:3000'], { CORS: 'off' }), 'http://localhost:3000');
  for (const text of ['', 'on', 'app.example', 'https://app.example/', 'https://App.example', 'https://a.example https://b.example', 'null',
    'https://app.example:443', 'https://me@app.example', 'ftp://app.example', 'https://app.example\r\nx: y']) {
    assert.throws(() => cors(['--cors', text]), (error) => error instanceof BadSetting && !error.message.includes('\n'), text);
  }
});
