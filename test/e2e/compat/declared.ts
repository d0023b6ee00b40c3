// What the published client declares, checked by the compiler: each answer is written as a literal that must have the type of the
// client's own .d.ts. More fields are allowed, as for any caller; a missing one, a wrong type or a word outside its list is an error.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const HEAD = `import type * as info from '@hypercallxyz/sdk/api/info';
import type * as exchange from '@hypercallxyz/sdk/api/exchange';

/** At the root, the filled size of an order update is a number. */
type Root<T> = T extends { filled_size: unknown; mmp_triggered: unknown } ? Omit<T, 'filled_size'> & { filled_size: number }
  : T extends readonly (infer E)[] ? Root<E>[] : T extends object ? { [K in keyof T]: Root<T[K]> } : T;

/** Of a type parameter no field is too much. */
const is = <T>() => <V extends T>(value: V): V => value;
`;
const OPTIONS = {
  compilerOptions: {
    noEmit: true, strict: true, exactOptionalPropertyTypes: false, skipLibCheck: true, module: 'nodenext', target: 'es2024', types: [],
    lib: ['es2024', 'dom'],
  },
  files: ['answers.ts'],
};

export type Answer = {
  /** Shown when the compiler complains. */
  readonly name: string;
  /** In terms of `info`, `exchange` and `Root`. */
  readonly type: string;
  readonly value: unknown;
};

/** One line for each complaint, with the answer it is about. */
export async function complaintsAbout(answers: readonly Answer[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-declared-'));
  try {
    const lines = answers.map(({ type, value }) => `is<${type}>()(${JSON.stringify(value)});`);
    writeFileSync(join(folder, 'answers.ts'), `${HEAD}${lines.join('\n')}\n`);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const first = HEAD.split('\n').length;
    const said = await compile(folder);
    return said.split('\n').filter((line) => line !== '').map((line) => {
      const at = /^answers\.ts\((\d+),/.exec(line)?.[1];
      return at === undefined ? line : `${answers[Number(at) - first]?.name}: ${line}`;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the compiler prints; '' when it has nothing to say. */
function compile(folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const args = ['-p', folder, '--pretty', 'false'];
    execFile(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: folder, maxBuffer: 1 << 26 }, (error, out) => {
      if (error !== null && out === '') reject(error);
      else resolve(out);
    });
  });
}
