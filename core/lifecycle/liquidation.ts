// Liquidation: the sweep over accounts, and the closing of those that fell below their maintenance margin.

import type { Lifecycle } from './expiry.ts';

export function riskStep(_lifecycle: Lifecycle, _time: number): void { /* risk */ }

export function liquidationStep(_lifecycle: Lifecycle, _time: number): void { /* liquidation */ }
