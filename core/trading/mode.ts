// Switching the margin mode of a wallet (decision 4.1).

import type { Views } from '../codec/record.ts';
import type { Trading } from './context.ts';

export function setMarginMode(_trading: Trading, _views: Views, _at: number, _account: number): void { /* margin */ }
