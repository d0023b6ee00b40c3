// Trading modes that the operator sets for the venue, an underlying or a contract; the strictest of the three counts (docs/spec, extensions
// 7). A new contract is open.

import { fixedSection, type Section, uint8 } from '../columns.ts';
import { MAX_UNDERLYINGS } from '../limits.ts';

export const MARKET_OPEN = 0;
export const CANCEL_ONLY = 1;
export const HALTED = 2;

export type TradingModes = { readonly venue: Uint8Array; readonly underlying: Uint8Array; readonly contract: Uint8Array };
type Moded = { readonly modes: TradingModes; readonly underlying: Int32Array };

export function createTradingModes(contracts: number): TradingModes {
  return { venue: uint8(1), underlying: uint8(MAX_UNDERLYINGS), contract: uint8(contracts) };
}

export function tradingMode({ modes, underlying }: Moded, slot: number): number {
  return Math.max(underlyingMode(modes, underlying[slot]), modes.contract[slot]);
}

/** Modes of single contracts do not count. */
export function underlyingMode(modes: TradingModes, underlying: number): number {
  return Math.max(modes.venue[0], modes.underlying[underlying]);
}

export function isMarketOpen(moded: Moded, slot: number): boolean {
  return tradingMode(moded, slot) === MARKET_OPEN;
}

export function tradingModeSections(modes: TradingModes, contracts: () => number): readonly Section[] {
  return [
    fixedSection('modes.venue', modes.venue), fixedSection('modes.underlying', modes.underlying),
    { name: 'modes.contract', column: modes.contract, used: contracts },
  ];
}
