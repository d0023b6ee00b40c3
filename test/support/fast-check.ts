// Properties with one seed for all of them, so that a run means the same on each machine and at each time. STRIKEBOOK_LONG=1 draws a new
// seed for each property, which fast-check prints when it fails; STRIKEBOOK_SEED=n takes that one.

import fc from 'fast-check';

const SEED = 20_261_128;
const { STRIKEBOOK_LONG: long, STRIKEBOOK_SEED: seed = long === '1' ? undefined : SEED } = process.env;

if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

export { fc };
