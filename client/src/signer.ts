// Signs typed data: with a private key, or with a browser wallet or service behind the same two members.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { toHex } from '../../shell/http/hex.ts';
import { StrikebookError } from './strikebook-error.ts';
import { bytesOf, digestOf, type TypedData } from './typed-data.ts';

export type Signer = {
  readonly address: string;
  /** 0x r ‖ s ‖ v: 65 bytes, low s. */
  signTypedData(data: TypedData): Promise<string>;
};

/** 0x and 64 hex digits. */
export function createPrivateKey(): string {
  return toHex(secp256k1.utils.randomSecretKey());
}

/** `key`: 64 hex digits, with or without 0x, or 32 bytes, which are not copied: once they are zeroed, nothing more is signed. */
export function privateKeySigner(key: string | Uint8Array): Signer {
  const secret = typeof key === 'string' ? bytesOf(key.startsWith('0x') ? key : `0x${key}`, 32, 'the private key') : key;
  if (!secp256k1.utils.isValidSecretKey(secret)) throw new StrikebookError('invalid_argument', 'This is no private key of secp256k1');
  const address = toHex(keccak_256(secp256k1.getPublicKey(secret, false).subarray(1)).subarray(12));
  return {
    address,
    signTypedData: (data) => {
      // recovery ‖ r ‖ s, with a low s.
      const signature = secp256k1.sign(digestOf(data), secret, { prehash: false, format: 'recovered' });
      return Promise.resolve(`${toHex(signature.subarray(1))}${(27 + signature[0]!).toString(16)}`);
    },
  };
}
