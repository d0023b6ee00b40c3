// What the long runs of the evidence share: the whole numbers of their flags, and the words that say where a run was made.

import { machineLine } from '../bench/machine.ts';

/** The values of flags that are whole numbers from 1, in the order of their names. Throws RangeError with the flag's name. */
export function wholeNumbers<const N extends readonly string[]>(
  values: Readonly<Record<string, string | undefined>>, ...names: N
): { [I in keyof N]: number } {
  return names.map((name) => {
    const value = Number(values[name]);
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${name} is a number from 1, not "${values[name]}"`);
    return value;
  }) as { [I in keyof N]: number };
}

/** First line of a run: what is run, with which machine, runtime and commit. */
export function sayRun(what: string): void {
  console.log(`${what}; ${machineLine()}`);
}
