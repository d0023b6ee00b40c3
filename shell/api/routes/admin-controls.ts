// Operator routes for halts, wallets and their orders (docs/spec, extensions 7). All but the list of accounts are journaled commands.

import { SYMBOL_FORMAT } from '../../../core/errors.ts';
import { createTerms, formatSymbol, parseSymbol, SYMBOL_OK, unpackUnderlying } from '../../../core/instruments/symbol.ts';
import type { ApiContext } from '../context.ts';
import type { FieldValues } from '../../http/fields.ts';
import { route, type Route } from '../../http/router.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import { CHARGE_NONE } from '../../ipc/queries.ts';
import { MARKET_MODES, WALLET_MODES } from '../../ipc/enum-names.ts';
import { adminRoute, isAdmin, refuseCode, refuseToken, sendToMain, type AdminCall } from './admin-route.ts';
import { given, limit, offset, TEXT_BYTES } from './query-fields.ts';
import { ask } from './read-route.ts';

const HALT = {
  scope: { kind: 'text', maxBytes: TEXT_BYTES, doc: 'An underlying, a symbol, or an empty text for the whole venue.' },
  mode: {
    kind: 'choice', values: MARKET_MODES,
    doc: '`cancel_only`: no new orders. `halted`: nor closing orders of the liquidation. Cancels always pass. The strictest mode of venue, '
      + 'underlying and contract applies.',
  },
} as const;
const BLOCK = {
  wallet: { kind: 'address' },
  mode: {
    kind: 'choice', values: WALLET_MODES, doc: '`close_only`: only orders that close positions. `blocked`: none, and its open orders end.',
  },
} as const;
const CANCEL = { wallet: { kind: 'address' } } as const;
const ACCOUNTS = {
  limit: limit(100, 1_000), offset, mode: { kind: 'choice', values: WALLET_MODES, optional: true, doc: 'Only wallets with this mode.' },
} as const;

export function controlRoutes(api: ApiContext): readonly Route[] {
  return [
    adminRoute(api, {
      method: 'POST', path: '/admin/halt', body: HALT, doc: 'Sets the trading mode of the venue, an underlying or a contract.',
    }, setTradingMode),
    adminRoute(api, {
      method: 'POST', path: '/admin/block', body: BLOCK, doc: 'Restricts a wallet to closing orders, blocks it, or opens it again.',
    }, setWalletMode),
    adminRoute(api, {
      method: 'POST', path: '/admin/cancel', body: CANCEL, doc: 'Cancels all open orders of a wallet, in steps.',
    }, cancelWallet),
    route({
      method: 'GET', path: '/admin/accounts', auth: 'admin', rate: 'none', envelope: 'bare', query: ACCOUNTS,
      doc: 'Accounts, in the order of their rows. Ask again with `offset` = `next_offset`.',
      handler: ({ request, query }, responder) => {
        const call: AdminCall = { api, request, responder, envelope: 'bare' };
        if (isAdmin(call)) ask(api, request, responder, 'accounts', given(query), 'bare', CHARGE_NONE);
        else refuseToken(call);
      },
    }),
  ];
}

function setTradingMode(call: AdminCall, { mode, scope }: FieldValues<typeof HALT>): void {
  const terms = createTerms();
  const isContract = scope.includes('-');
  if (isContract && parseSymbol(scope, terms) !== SYMBOL_OK) return refuseCode(call, SYMBOL_FORMAT, { symbol: scope });
  const underlying = isContract ? unpackUnderlying(terms.underlyingLo, terms.underlyingHi) : scope;
  const name = isContract ? formatSymbol(terms) : scope;
  const { expiry, strike, kind } = terms;
  const contract = isContract ? { expiry, strike, kind } : null;
  const command = { type: 'trading-mode', underlying, contract, mode: MARKET_MODES.indexOf(mode) } as const;
  sendToMain(call, 'halt', command, { underlying, symbol: name }, ({ time }) => ({
    success: true, data: { scope: name, mode, timestamp: time },
  } satisfies AnswerTo<'POST /admin/halt'>));
}

function setWalletMode(call: AdminCall, { mode, wallet }: FieldValues<typeof BLOCK>): void {
  const command = { type: 'wallet-mode', wallet, mode: WALLET_MODES.indexOf(mode) } as const;
  sendToMain(call, 'block', command, { wallet }, ({ number: orders, time }) => ({
    success: true, data: { wallet, mode, orders, timestamp: time },
  } satisfies AnswerTo<'POST /admin/block'>));
}

function cancelWallet(call: AdminCall, { wallet }: FieldValues<typeof CANCEL>): void {
  sendToMain(call, 'cancel', { type: 'cancel-wallet', wallet }, { wallet }, ({ number: orders, time }) => ({
    success: true, data: { wallet, orders, timestamp: time },
  } satisfies AnswerTo<'POST /admin/cancel'>));
}
