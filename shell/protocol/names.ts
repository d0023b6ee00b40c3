// The words of the interface for what the core has numbers for: the index of a word is its number in records and in the state.

export const SIDES = ['Buy', 'Sell'] as const;
export const TIFS = ['gtc', 'ioc', 'fok'] as const;
export const TIERS = ['default', 'tier1', 'tier2', 'market_maker'] as const;
export const MARGIN_MODES = ['standard', 'portfolio'] as const;
