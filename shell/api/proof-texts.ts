// How the values of a signed structure split into the texts of the proof and the fields of the record: members that are texts are kept
// in the proof as they were sent, all others stand in the record.

import { membersOf, STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';

const NAMES = Object.keys(STRUCTURES) as StructureName[];

/** The values of a structure by member name, whatever the structure. */
export type AnyValues = { readonly [member: string]: unknown };

type Member = { readonly name: string; readonly isText: boolean };

/**
 * Agent is the structure of a perp order (decision 3.11). What it holds is a hash, so the proof has the texts that were hashed;
 * `symbol` stands for the asset index.
 */
const PERP_TEXTS = ['symbol', 'side', 'size', 'price', 'tif', 'clientId'];
const PERP_NUMBERS = ['wallet', 'reduceOnly', 'nonce'];
const PERP_ORDER: readonly Member[] = [
  ...PERP_TEXTS.map((name) => ({ name, isText: true })), ...PERP_NUMBERS.map((name) => ({ name, isText: false })),
];

const MEMBERS = Object.fromEntries(NAMES.map((structure): [StructureName, readonly Member[]] => [
  structure, structure === 'Agent' ? PERP_ORDER : membersOf(structure).map(({ name, type }) => ({ name, isText: type === 'string' })),
])) as Record<StructureName, readonly Member[]>;

export function numberOfStructure(structure: StructureName): number {
  return NAMES.indexOf(structure) + 1;
}

/** The structure of this number, or null. */
export function structureOfNumber(number: number): StructureName | null {
  return NAMES[number - 1] ?? null;
}

/** The text members in the structure's order, as the client sent them. */
export function textsOf(structure: StructureName, values: AnyValues): string[] {
  const texts: string[] = [];
  for (const { name, isText } of MEMBERS[structure]) if (isText) texts.push(values[name] as string);
  return texts;
}

/** All members again: texts in their order, the others from `fixed`. Throws a RangeError when they do not fit together. */
export function valuesOf(structure: StructureName, texts: readonly string[], fixed: AnyValues): AnyValues {
  const values: Record<string, unknown> = {};
  let used = 0;
  for (const { name, isText } of MEMBERS[structure]) {
    const value = isText ? texts[used++] : fixed[name];
    if (value === undefined) throw new RangeError(`proof: ${structure} has no ${name}`);
    values[name] = value;
  }
  if (used !== texts.length) throw new RangeError(`proof: ${structure} has ${used} texts, not ${texts.length}`);
  return values;
}
