// For running competitions (decision 5.7): the distance from the mark that has counted for each pair of wallets, and who signed each
// wallet's accepted orders. Approvals do not count, because anybody may approve anybody. Micros.

import { WORD_SIGNER, WORD_WALLET } from '../../../core/codec/commands.ts';
import { AGENTS_PER_WALLET } from '../../../core/limits.ts';
import { COMPETITION_PAIR_VALUE } from '../../../core/settings.ts';
import type { State } from '../../../core/engine/state.ts';
import type { DealingRow, Rows, SignerRow } from '../../storage/history/protocol.ts';
import type { HistoryLink } from '../history/link.ts';
import type { CurrentRecord } from '../history/rows.ts';
import { isOrderCommand } from '../history/terms.ts';
import { addressOfWords } from '../text.ts';
import { CompetitionClock } from './clock.ts';

export const MOST = 131_072;

type Parts = { readonly state: State; readonly rows: Rows; readonly history: HistoryLink; readonly most?: number };
/** `signers`: by wallet, at most AGENTS_PER_WALLET, because every fill compares two of them. */
type Kept = {
  readonly pairs: Map<string, number>; readonly signers: Map<string, Set<string>>;
  signed: number;
};

export class Dealings {
  readonly #parts: Parts;
  readonly #most: number;
  readonly #clock: CompetitionClock;
  readonly #kept = new Map<number, Kept>();
  #isAsking = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#most = parts.most ?? MOST;
    this.#clock = new CompetitionClock(parts.state);
  }

  isReady(time: number): boolean {
    const running = this.#clock.running(time);
    for (const id of this.#kept.keys()) if (!running.includes(id)) this.#kept.delete(id);
    const missing = running.find((id) => !this.#kept.has(id));
    if (missing !== undefined && !this.#isAsking) this.#load(missing);
    return missing === undefined;
  }

  onOrderAccepted({ views, at, seq, time }: CurrentRecord): void {
    const running = this.#clock.running(time);
    if (running.length === 0 || !isOrderCommand(views, at)) return;
    const wallet = addressOfWords(views.u32, (at >>> 2) + WORD_WALLET);
    const signer = addressOfWords(views.u32, (at >>> 2) + WORD_SIGNER);
    for (const competition of running) {
      const kept = this.#kept.get(competition)!;
      const known = kept.signers.get(wallet);
      if (known?.has(signer) === true || (known?.size ?? 0) >= AGENTS_PER_WALLET) continue;
      if (this.#sum(({ signed }) => signed) >= this.#most) continue;
      sign(kept, signer, wallet);
      this.#parts.rows.signers.push({ seq, competition, signer, wallet });
    }
  }

  shareASigner(competition: number, one: string, other: string): boolean {
    const { signers } = this.#kept.get(competition)!;
    const [a, b] = [signers.get(one), signers.get(other)];
    if (a === undefined || b === undefined) return false;
    for (const signer of a) if (b.has(signer)) return true;
    return false;
  }

  count(competition: number, wallets: readonly [string, string], value: number, seq: number): number {
    const { pairs } = this.#kept.get(competition)!;
    const [one, other] = wallets[0] < wallets[1] ? wallets : [wallets[1], wallets[0]];
    const before = pairs.get(one + other);
    const amount = Math.min(value, Math.max(0, this.#parts.state.settings.values[COMPETITION_PAIR_VALUE]! - (before ?? 0)));
    if (amount === 0 || (before === undefined && this.#sum((kept) => kept.pairs.size) >= this.#most)) return 0;
    pairs.set(one + other, (before ?? 0) + amount);
    this.#parts.rows.dealings.push({ seq, competition, one, other, amount });
    return amount;
  }

  #sum(of: (kept: Kept) => number): number {
    let sum = 0;
    for (const kept of this.#kept.values()) sum += of(kept);
    return sum;
  }

  #load(competition: number): void {
    const { history } = this.#parts;
    const kept: Kept = { pairs: new Map(), signers: new Map(), signed: 0 };
    const end = (): void => { this.#isAsking = false; };
    this.#isAsking = history.ask({ name: 'dealings', competition }, (dealings) => {
      for (const { one, other, amount } of dealings as DealingRow[]) kept.pairs.set(one + other, amount);
      const isAsked = history.ask({ name: 'signers', competition }, (signers) => {
        for (const { signer, wallet } of signers as SignerRow[]) sign(kept, signer, wallet);
        this.#kept.set(competition, kept);
        end();
      });
      if (!isAsked) end();
    });
  }
}

function sign(kept: Kept, signer: string, wallet: string): void {
  const known = kept.signers.get(wallet);
  if (known === undefined) kept.signers.set(wallet, new Set([signer]));
  else known.add(signer);
  kept.signed++;
}
