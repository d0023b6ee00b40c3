// Market-maker protection in trading: its commands, what a fill records, and what a trigger cancels (decision 5.8).

import type { Views } from '../codec/record.ts';
import type { Trading } from './context.ts';

export function setProtection(_trading: Trading, _views: Views, _at: number, _account: number): void { /* protection */ }

export function endProtection(_trading: Trading, _views: Views, _at: number, _account: number, _kind: number): void { /* protection */ }
