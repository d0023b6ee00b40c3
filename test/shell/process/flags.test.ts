// The flags of the long-running commands: --help prints the usage; an unknown flag or bad value is one line and exit code 2.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

for (const name of ['sim', 'crash', 'day', 'mutants', 'demo']) {
  test(`${name}: --help prints the usage, and an unknown flag is refused in one line`, () => {
    const help = run(`scripts/${name}.ts`, '--help');
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, new RegExp(`^usage: npm run ${name} -- \\[--.*\\]\\n$`));
    const unknown = run(`scripts/${name}.ts`, '--nothing', '1');
    assert.deepEqual([unknown.code, unknown.out], [2, '']);
    assert.match(unknown.err, new RegExp(`^Unknown option '--nothing'; usage: npm run ${name} -- .*\\n$`));
  });
}

test('a flag with a bad value is refused in one line that names it', () => {
  const refusals = [
    ['crash', '--cycles', '0', '--cycles is a number from 1, not "0"'],
    ['day', '--durability', 'most', '--durability is full or normal, not "most"'],
    ['demo', '--seconds', 'x', '--seconds is a number above 0, not "x"'],
  ] as const;
  for (const [name, flag, value, err] of refusals) {
    assert.deepEqual(run(`scripts/${name}.ts`, flag, value), { code: 2, out: '', err: `${err}\n` });
  }
});
