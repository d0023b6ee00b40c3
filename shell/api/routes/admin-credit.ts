// The operator's credits: cash from the faucet to a wallet, or back. The id makes a request safe to repeat.

import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { CREDIT_ID_BYTES, CREDIT_REASON_BYTES, MAX_BALANCE } from '../../../core/limits.ts';
import type { ApiContext } from '../context.ts';
import { sendError } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import type { CreditAnswer } from '../../http/shapes/answers.ts';
import { adminRoute, sendToMain, type AdminCall } from './admin-route.ts';

const CREDIT = {
  wallet: { kind: 'address' },
  amount: { kind: 'decimal', doc: 'USDC with at most 6 decimals. A negative amount is taken from the wallet.' },
  reason: { kind: 'text', minBytes: 1, maxBytes: CREDIT_REASON_BYTES, doc: 'Shown in the ledger of the wallet.' },
  id: {
    kind: 'text', minBytes: 1, maxBytes: CREDIT_ID_BYTES,
    doc: '1 to 32 of A-Z, a-z, 0-9, _ and -. The same id again gives the first answer and moves nothing; the newest 100,000 are known.',
  },
} as const;
const AMOUNT = /^(-?)([0-9]{1,10})(?:\.([0-9]{1,6}))?$/;

export function creditRoutes(api: ApiContext): readonly Route[] {
  return [
    adminRoute(api, {
      method: 'POST', path: '/admin/credit', body: CREDIT, doc: 'Gives a wallet cash from the faucet, or takes free cash back.',
    }, credit),
  ];
}

function credit(call: AdminCall, { wallet, amount: text, reason, id }: FieldValues<typeof CREDIT>): void {
  const refuse = (fault: string): void => sendError(call.responder, 'bare', 'invalid_parameter', `Invalid parameter: ${fault}`);
  if (!/^[A-Za-z0-9_-]+$/.test(id)) return refuse('id must be 1 to 32 of A-Z, a-z, 0-9, _ and -');
  const amount = amountOf(text);
  if (amount === null) return refuse('amount must be a number other than 0, within 9000000000, with at most 6 decimals');
  const command = { type: 'credit', wallet, amount, reason, creditId: id } as const;
  sendToMain(call, 'credit', command, { wallet, amount: text }, ({ credit: done, time }) => ({
    success: true, data: {
      id, wallet: done!.wallet, amount: formatDecimal(done!.amount, DECIMALS), balance: formatDecimal(done!.balance, DECIMALS),
      created_at: new Date(time).toISOString(),
    },
  } satisfies CreditAnswer));
}

/** Micros; null if it is not an amount. */
function amountOf(text: string): number | null {
  const [, sign, whole, fraction = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return null;
  const micros = Number(whole) * 1e6 + Number(fraction.padEnd(DECIMALS, '0'));
  return micros === 0 || micros > MAX_BALANCE ? null : sign === '-' ? -micros : micros;
}
