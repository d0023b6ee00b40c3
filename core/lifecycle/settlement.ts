// Settlement of expired options: sampling the index, the price, the payouts.

import type { Views } from '../codec/record.ts';
import type { Lifecycle } from './expiry.ts';

export function setSettlementPrice(_lifecycle: Lifecycle, _views: Views, _at: number): void { /* settlement */ }

export function settlementStep(_lifecycle: Lifecycle, _time: number): void { /* settlement */ }
