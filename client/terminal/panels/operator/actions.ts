// The operator's actions as a table: fields of each request, and the question before it.

import type { Operator } from '../../../src/main.ts';

type FieldKind = 'text' | 'decimal' | 'underlying' | 'choice' | 'time';
export type ActionField = {
  readonly name: string; readonly label: string; readonly kind: FieldKind; readonly choices?: readonly string[]; readonly hint?: string;
  readonly isOptional?: boolean;
};
export type Values = Readonly<Record<string, string>>;
export type OperatorAction = {
  readonly id: string; readonly title: string; readonly button: string; readonly fields: readonly ActionField[];
  /** Null: nobody else is hit, nothing is asked. */
  readonly question: ((values: Values) => string) | null;
  readonly send: (operator: Operator, values: Values) => Promise<unknown>;
};

const UNDERLYING: ActionField = { name: 'underlying', label: 'Underlying', kind: 'underlying' };
const WALLET: ActionField = { name: 'wallet', label: 'Wallet', kind: 'text', hint: '0x and 40 hex digits' };
const PRICE: ActionField = { name: 'price', label: 'Price', kind: 'decimal' };
const METRICS = ['pnl', 'volume', 'efficiency'] as const;
const MODES = { open: 'open', cancel_only: 'cancel-only', halted: 'halted' } as const;
const WALLET_MODES = { open: 'open it', close_only: 'let it only close positions', blocked: 'block it and end all its orders' } as const;

export const ACTIONS: readonly OperatorAction[] = [
  {
    id: 'halt', title: 'Halt or resume trading', button: 'Set trading mode',
    fields: [
      { name: 'scope', label: 'Scope', kind: 'text', hint: 'An underlying, a contract, or empty for the whole venue', isOptional: true },
      { name: 'mode', label: 'Mode', kind: 'choice', choices: Object.keys(MODES) },
    ],
    question: ({ mode, scope }) => (
      `${scope === '' ? 'The whole venue' : scope} becomes ${MODES[mode as keyof typeof MODES]} for everybody.`
    ),
    send: (operator, { mode, scope }) => operator.act('POST /admin/halt', { scope: scope!, mode: mode as keyof typeof MODES }),
  },
  {
    id: 'index', title: 'Index price', button: 'Set index price',
    fields: [UNDERLYING, PRICE, { name: 'stale', label: 'Stale', kind: 'choice', choices: ['no', 'yes'] }],
    question: ({ price, stale, underlying }) => `The index of ${underlying} becomes ${price}${stale === 'yes' ? ', marked stale' : ''}. `
      + 'Marks, margin and liquidations of everybody follow it.',
    send: (operator, { price, stale, underlying }) => operator.act('POST /admin/index-price', {
      underlying: underlying!, price: price!, ...(stale === 'yes' && { stale: true }),
    }),
  },
  {
    id: 'surface', title: 'Volatility surface', button: 'Set surface',
    fields: [
      UNDERLYING, { name: 'atm_vol', label: 'At the money', kind: 'decimal', hint: 'A fraction: 0.6 is 60 %' },
      { name: 'skew', label: 'Skew', kind: 'decimal', isOptional: true },
      { name: 'curvature', label: 'Curvature', kind: 'decimal', isOptional: true },
      { name: 'expiry', label: 'Expiry', kind: 'text', hint: 'A date such as 2026-12-25; empty for all', isOptional: true },
    ],
    question: ({ atm_vol: vol, expiry, underlying }) => (
      `The surface of ${underlying}, ${expiry === '' ? 'all expiries' : expiry}, becomes ${vol} at the money. Marks of everybody follow it.`
    ),
    send: (operator, { underlying, atm_vol: vol, ...rest }) => operator.act('POST /admin/vol-surface', {
      underlying: underlying!, atm_vol: vol!, ...given(rest),
    }),
  },
  {
    id: 'settlement', title: 'Settlement price', button: 'Set settlement price',
    fields: [
      UNDERLYING, { name: 'expiry', label: 'Expiry', kind: 'text', hint: 'A date such as 2026-12-25' }, PRICE,
    ],
    question: ({ expiry, price, underlying }) => (
      `All contracts of ${underlying} that expired on ${expiry} settle at ${price}, for good. This cannot be taken back.`
    ),
    send: (operator, { expiry, price, underlying }) => operator.act('POST /admin/settlement-price', {
      underlying: underlying!, expiry: expiry!, price: price!,
    }),
  },
  {
    id: 'block', title: 'Restrict a wallet', button: 'Set wallet mode',
    fields: [WALLET, { name: 'mode', label: 'Mode', kind: 'choice', choices: Object.keys(WALLET_MODES) }],
    question: ({ mode, wallet }) => `${wallet}: ${WALLET_MODES[mode as keyof typeof WALLET_MODES]}.`,
    send: (operator, { mode, wallet }) => operator.act('POST /admin/block', { wallet: wallet!, mode: mode as keyof typeof WALLET_MODES }),
  },
  {
    id: 'cancel', title: 'Cancel a wallet\'s orders', button: 'Cancel all its orders', fields: [WALLET],
    question: ({ wallet }) => `All open orders of ${wallet} end.`,
    send: (operator, { wallet }) => operator.act('POST /admin/cancel', { wallet: wallet! }),
  },
  {
    id: 'credit', title: 'Credit or debit', button: 'Move cash',
    fields: [
      WALLET, { name: 'amount', label: 'Amount', kind: 'decimal', hint: 'USDC; negative is taken from the wallet' },
      { name: 'reason', label: 'Reason', kind: 'text', hint: 'Shown in its ledger' },
      { name: 'id', label: 'Id', kind: 'text', hint: 'The same id again moves nothing' },
    ],
    question: ({ amount, wallet }) => `${amount} USDC ${amount?.startsWith('-') === true ? 'are taken from' : 'are given to'} ${wallet}.`,
    send: (operator, { amount, id, reason, wallet }) => operator.act('POST /admin/credit', {
      wallet: wallet!, amount: amount!, reason: reason!, id: id!,
    }),
  },
  {
    id: 'tier', title: 'Tier of a wallet', button: 'Set tier',
    fields: [WALLET, { name: 'tier', label: 'Tier', kind: 'choice', choices: ['default', 'tier1', 'tier2', 'market_maker'] }],
    question: ({ tier, wallet }) => `${wallet} gets the limits of ${tier}.`,
    send: (operator, { tier, wallet }) => operator.act('POST /user-tier', {
      wallet: wallet!, tier: tier as 'default' | 'tier1' | 'tier2' | 'market_maker',
    }),
  },
  {
    id: 'list', title: 'List a contract', button: 'List contract',
    fields: [{ name: 'symbol', label: 'Contract', kind: 'text', hint: 'Such as BTC-20261225-90000-C' }],
    question: null,
    send: (operator, { symbol }) => operator.act('POST /markets', { symbol: symbol! }),
  },
  {
    id: 'delete', title: 'Delete a contract', button: 'Delete contract', fields: [{ name: 'symbol', label: 'Contract', kind: 'text' }],
    question: ({ symbol }) => `${symbol} is taken off the venue and all orders in it end.`,
    send: (operator, { symbol }) => operator.act('DELETE /markets', { symbol: symbol! }),
  },
  {
    id: 'competition', title: 'New competition', button: 'Create competition',
    fields: [
      { name: 'name', label: 'Name', kind: 'text' }, { name: 'description', label: 'Description', kind: 'text', isOptional: true },
      { name: 'primary', label: 'Won by', kind: 'choice', choices: METRICS },
      { name: 'start', label: 'Start', kind: 'time' }, { name: 'end', label: 'End', kind: 'time' },
    ],
    question: ({ name }) => `“${name}” begins for everybody who trades. A competition cannot be changed afterwards.`,
    send: (operator, { description, end, name, primary, start }) => operator.act('POST /competitions', {
      name: name!, ...given({ description }), win_conditions: METRICS, primary_win_condition: primary as (typeof METRICS)[number],
      start_ts_ms: new Date(start!).getTime(), end_ts_ms: new Date(end!).getTime(),
    }),
  },
];

function given<T extends Readonly<Record<string, string | undefined>>>(values: T): { readonly [K in keyof T]?: string } {
  const filled = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(filled) as { readonly [K in keyof T]?: string };
}
