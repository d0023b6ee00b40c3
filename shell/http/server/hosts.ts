// Names that a request may call the venue by. After DNS rebinding a stranger's page seems to be of the venue's own origin, but its
// requests carry its name in `Host`.

import { refuse, type Refusal } from '../errors.ts';

const REFUSAL = refuse('forbidden', 'Host is not an address or a known name of this venue: see --allowed-hosts');
const ADDRESS = /^(|localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-f:.]+\])(:[0-9]+)?$/i;
const PORT = /:[0-9]+$/;

export class Hosts {
  readonly #trusted: ReadonlySet<string>;
  readonly #allowed: ReadonlySet<string> | null;
  #last = '';
  #isTrusted = true;
  #isAllowed = true;

  /** `allowed`: null allows every name. */
  constructor(origins: readonly string[], allowed: readonly string[] | null) {
    this.#trusted = new Set(origins.map((origin) => new URL(origin).hostname));
    this.#allowed = allowed === null ? null : new Set(allowed);
  }

  isTrusted(host: string): boolean {
    this.#look(host);
    return this.#isTrusted;
  }

  refusalOf(host: string): Refusal | null {
    this.#look(host);
    return this.#isAllowed ? null : REFUSAL;
  }

  #look(host: string): void {
    if (host === this.#last) return;
    const name = host.replace(PORT, '').toLowerCase();
    this.#last = host;
    this.#isTrusted = ADDRESS.test(host) || this.#trusted.has(name);
    this.#isAllowed = this.#isTrusted || this.#allowed === null || this.#allowed.has(name);
  }
}
