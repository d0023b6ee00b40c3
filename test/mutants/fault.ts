// What a fault is that scripts/mutants.ts plants, and how a list of them is written.

export type Mutant = {
  readonly name: string;
  readonly file: string;
  /** Text that stands in the file exactly once, and what takes its place. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** The one test of them that must notice it; without it any may. */
  readonly title?: string;
};

/** Name, text, what takes its place. */
type Fault = readonly [name: string, find: string, replace: string];

/** Faults of one file of the core that the same tests must notice: one quick file if there is one. */
export function of(file: string, tests: string | readonly string[], faults: readonly Fault[]): Mutant[] {
  const paths = (typeof tests === 'string' ? [tests] : tests).map((test) => `test/${test}.test.ts`);
  return faults.map(([name, find, replace]) => ({ name, file: `core/${file}.ts`, find, replace, tests: paths }));
}
