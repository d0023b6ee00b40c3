// The asset index of each perp, which its orders are signed with: the underlyings in the order the venue has added them
// (decision 1.5). Asked of the reader once; an index never changes and the list only grows, so a name that is not known
// yet is asked for again. What that order must not be overtaken by is held by its connection meanwhile (shell/ws/entry).

import { bodyJson, type Reads } from './reader-link.ts';

export class PerpAssets {
  readonly #reads: Reads;
  #underlyings: readonly string[] = [];

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /**
   * Calls `take` with the index of the underlying, -1 when the venue has none, now or later; or later `expire`. False: no room
   * to ask, neither will be called.
   */
  find(underlying: string, take: (asset: number) => void, expire: () => void): boolean {
    const asset = this.#underlyings.indexOf(underlying);
    if (asset >= 0) {
      take(asset);
      return true;
    }
    return this.#reads.ask('perps', {}, ({ status, body }) => {
      if (status === 200) this.#underlyings = bodyJson(body) as string[];
      take(this.#underlyings.indexOf(underlying));
    }, expire);
  }
}
