// The values of a signed structure: the proof keeps string members exactly as sent, the record has all others.

import { APPROVE_NAMED_AGENT, BATCH, signedCommand } from '../../core/codec/commands.ts';
import { membersOf, STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';

const NAMES = Object.keys(STRUCTURES) as StructureName[];

export type AnyValues = { readonly [member: string]: unknown };

type Member = { readonly name: string; readonly isText: boolean };

/** A perp order signs only a hash (decision 3.11), so its proof has the hashed texts. `symbol` stands for the asset index. */
const PERP_TEXTS = ['symbol', 'side', 'size', 'price', 'tif', 'clientId'];
const PERP_NUMBERS = ['wallet', 'reduceOnly', 'nonce'];
const PERP_ORDER: readonly Member[] = [
  ...PERP_TEXTS.map((name) => ({ name, isText: true })), ...PERP_NUMBERS.map((name) => ({ name, isText: false })),
];

/** Structures that only the Hyperliquid dialect signs. Their numbers are stored in journals for ever, from 256 on: append only. */
const DIALECT = {
  /** An L1 action: its JSON in the order of its keys. `assets`: the names of those it has, as `index=NAME,…`. */
  HlAction: ['action', 'vaultAddress', 'expiresAfter', 'assets'],
  HlApproveAgent: ['signatureChainId', 'hyperliquidChain', 'agentAddress', 'agentName'],
} as const;
const DIALECT_NAMES = Object.keys(DIALECT) as (keyof typeof DIALECT)[];
const KINDS: Readonly<Record<keyof typeof DIALECT, number>> = { HlAction: BATCH, HlApproveAgent: APPROVE_NAMED_AGENT };
const FIRST_DIALECT = 256;
export type ProofStructure = StructureName | keyof typeof DIALECT;

const MEMBERS = Object.fromEntries([
  ...NAMES.map((structure): [ProofStructure, readonly Member[]] => [
    structure, structure === 'Agent' ? PERP_ORDER : membersOf(structure).map(({ name, type }) => ({ name, isText: type === 'string' })),
  ]),
  ...DIALECT_NAMES.map((structure): [ProofStructure, readonly Member[]] => [
    structure, [...DIALECT[structure].map((name) => ({ name, isText: true })), { name: 'nonce', isText: false }],
  ]),
]) as Record<ProofStructure, readonly Member[]>;

export function isSignedAs(kind: number, structure: ProofStructure): boolean {
  return isOfDialect(structure) ? kind === KINDS[structure] : signedCommand(kind)!.signed.includes(structure);
}

export function isOfDialect(structure: ProofStructure): structure is keyof typeof DIALECT {
  return Object.hasOwn(DIALECT, structure);
}

export function numberOfStructure(structure: ProofStructure): number {
  return isOfDialect(structure) ? FIRST_DIALECT + DIALECT_NAMES.indexOf(structure) : NAMES.indexOf(structure) + 1;
}

export function structureOfNumber(number: number): ProofStructure | null {
  return (number < FIRST_DIALECT ? NAMES[number - 1] : DIALECT_NAMES[number - FIRST_DIALECT]) ?? null;
}

export function textsOf(structure: ProofStructure, values: AnyValues): string[] {
  const texts: string[] = [];
  for (const { name, isText } of MEMBERS[structure]) if (isText) texts.push(values[name] as string);
  return texts;
}

/** Throws RangeError if the texts do not fit. */
export function valuesOf(structure: ProofStructure, texts: readonly string[], fixed: AnyValues): AnyValues {
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
