// Selects the signing domain of a record: the one in force at its seq. The folder names its domains in venue.json. Records before the
// first named domain, in a folder of an older version, use the domain given to the audit, or else that first one.

import { loadBackend } from '../../shell/api/auth/recover-signer.ts';
import { createHasher } from '../../shell/api/auth/eip712.ts';
import type { VerifyContext } from '../../shell/api/verify-record.ts';
import { JournalRefusal } from '../../shell/storage/journal/journal-errors.ts';
import { readVenue, type SigningDomain } from '../../shell/storage/journal/venue-identity.ts';

/** Null: not given. */
export type GivenDomain = { readonly name: string | null; readonly chainId: number | null };

/** All domains, oldest first, the first from seq 1 on. Throws JournalRefusal. */
export function domainsOf(dataFolder: string, venue: string, given: GivenDomain): readonly SigningDomain[] {
  const file = readVenue(dataFolder);
  if (file !== null && file.id !== venue) {
    throw new JournalRefusal('other_venue', `venue.json is of venue ${file.id}, the journal of ${venue}`);
  }
  const named = file?.domains ?? [];
  const [first] = named;
  if (first?.fromSeq === 1) return named;
  const name = given.name ?? first?.name ?? 'Strikebook';
  return [{ fromSeq: 1, name, chainId: given.chainId ?? first?.chainId ?? 998 }, ...named];
}

/** Verifiers of records, in order of their seqs. */
export class Judges {
  readonly #domains: readonly SigningDomain[];
  readonly #judges: readonly VerifyContext[];
  #at = 0;

  constructor(domains: readonly SigningDomain[], assetOf: VerifyContext['assetOf']) {
    const backend = loadBackend();
    this.#domains = domains;
    this.#judges = domains.map(({ name, chainId }) => ({ hasher: createHasher(name, chainId), backend, assetOf }));
  }

  of(seq: number): { readonly judge: VerifyContext; readonly domain: SigningDomain } {
    while (this.#at + 1 < this.#domains.length && this.#domains[this.#at + 1]!.fromSeq <= seq) this.#at++;
    return { judge: this.#judges[this.#at]!, domain: this.#domains[this.#at]! };
  }
}
