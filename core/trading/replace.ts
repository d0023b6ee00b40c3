// Replacing an order: cancel and place in one command, judged as if the old order were gone already.

import type { Views } from '../codec/record.ts';
import type { Trading } from './context.ts';

export function replaceOrder(_trading: Trading, _views: Views, _at: number, _account: number, _time: number): void { /* trading */ }
