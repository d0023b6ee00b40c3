// Wallets that sign requests, with ethers as a client does and with noble, so that none of our code makes a signature.

import { SigningKey, TypedDataEncoder, Wallet } from 'ethers';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { STRUCTURES, type StructureName } from '../../../core/codec/signed-commands.ts';
import { toHex } from '../../../shell/http/hex.ts';
import { membersOf, primaryType, type Message } from './auth/samples.ts';

export const DOMAIN = { name: 'Strikebook', version: '1', chainId: 998, verifyingContract: `0x${'0'.repeat(40)}` };

export type Signer = {
  readonly address: string;
  sign(structure: StructureName, message: Message, domain?: typeof DOMAIN): string;
};

export function keyOf(seed: number): string {
  return `0x${(BigInt(seed) * 7_919n + 1n).toString(16).padStart(64, '0')}`;
}

/** The digest that ethers computes. */
export function digestOfMessage(structure: StructureName, message: Message, domain = DOMAIN): string {
  return TypedDataEncoder.hash(domain, { [primaryType(structure)]: membersOf(structure) }, message);
}

export function ethersSigner(seed: number): Signer {
  const key = keyOf(seed);
  const signing = new SigningKey(key);
  return {
    address: new Wallet(key).address.toLowerCase(),
    sign: (structure, message, domain) => signing.sign(digestOfMessage(structure, message, domain)).serialized,
  };
}

export function nobleSigner(seed: number): Signer {
  const key = Uint8Array.from(Buffer.from(keyOf(seed).slice(2), 'hex'));
  return {
    address: new Wallet(keyOf(seed)).address.toLowerCase(),
    sign: (structure, message, domain) => {
      const digest = Uint8Array.from(Buffer.from(digestOfMessage(structure, message, domain).slice(2), 'hex'));
      const recovered = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
      return toHex(Uint8Array.of(...recovered.subarray(1), recovered[0]! + 27));
    },
  };
}

/** Every structure there is, for tests that go through all. */
export const ALL_STRUCTURES = Object.keys(STRUCTURES) as StructureName[];
