// The values of a signed structure: the proof keeps string members exactly as sent, the record has all others.

import { membersOf, STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';

const NAMES = Object.keys(STRUCTURES) as StructureName[];

/** Values by member. */
export type AnyValues = { readonly [member: string]: unknown };

type Member = { readonly name: string; readonly isText: boolean };

/** A perp order signs only a hash (decision 3.11), so its proof has the hashed texts. `symbol` stands for the asset index. */
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

export function structureOfNumber(number: number): StructureName | null {
  return NAMES[number - 1] ?? null;
}

export function textsOf(structure: StructureName, values: AnyValues): string[] {
  const texts: string[] = [];
  for (const { name, isText } of MEMBERS[structure]) if (isText) texts.push(values[name] as string);
  return texts;
}

/** `fixed`: members in the record. Throws RangeError if the texts do not fit. */
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
