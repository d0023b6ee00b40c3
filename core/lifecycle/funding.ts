// Perps: impact prices, premium, mark basis, and funding each full UTC hour.

import type { Lifecycle } from './expiry.ts';

export function fundingStep(_lifecycle: Lifecycle, _time: number): void { /* funding */ }
