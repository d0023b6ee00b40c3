// The flags of the long commands: usage on request, and one line and exit code 2 for what a command does not have.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

for (const name of ['sim', 'crash', 'day', 'mutants', 'demo']) {
  test(`flags of ${name}: --help says how it is called, an unknown one is refused in a line`, () => {
    const help = run(`scripts/${name}.ts`, '--help');
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, new RegExp(`^usage: npm run ${name} -- \\[--.*\\]\\n$`));
    const unknown = run(`scripts/${name}.ts`, '--nothing', '1');
    assert.deepEqual([unknown.code, unknown.out], [2, '']);
    assert.match(unknown.err, new RegExp(`^Unknown option '--nothing'; usage: npm run ${name} -- .*\\n$`));
  });
}

test('flags: a value that is none is named', () => {
  const refusals = [
    ['crash', '--cycles', '0', '--cycles is a number from 1, not "0"'],
    ['day', '--durability', 'most', '--durability is full or normal, not "most"'],
    ['demo', '--seconds', 'x', '--seconds is a number above 0, not "x"'],
  ] as const;
  for (const [name, flag, value, err] of refusals) {
    assert.deepEqual(run(`scripts/${name}.ts`, flag, value), { code: 2, out: '', err: `${err}\n` });
  }
});
