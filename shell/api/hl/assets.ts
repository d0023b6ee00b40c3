// The assets that an action names: the asset index of the protocol is that of our perp, and the coin BTC is BTC-PERP. A proof keeps the
// names as `index=NAME,…`.

import type { Coins } from './order-wire.ts';


export function recordedCoins(names: readonly string[]): { readonly coins: Coins; readonly text: () => string } {
  const used = new Set<number>();
  return {
    coins: (asset) => {
      const name = names[asset];
      if (name !== undefined) used.add(asset);
      return name ?? null;
    },
    text: () => [...used].sort((a, b) => a - b).map((asset) => `${asset}=${names[asset]!}`).join(','),
  };
}

export function assetsOfText(text: string): ReadonlyMap<number, string> {
  return new Map(text.split(',').filter((pair) => pair !== '').map((pair) => {
    const at = pair.indexOf('=');
    return [Number(pair.slice(0, at)), pair.slice(at + 1)];
  }));
}

export function coinsOfText(text: string): Coins {
  const names = assetsOfText(text);
  return (asset) => names.get(asset) ?? null;
}
