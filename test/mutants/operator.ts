// Faults of one line in the operator's controls: halts, blocked wallets, price bands, tiers before the first order.

import { of, type Mutant } from './fault.ts';

export const OPERATOR: readonly Mutant[] = [
  ...of('instruments/trading-mode', 'core/trading/modes', [
    ['modes: the mode of the venue is ignored', 'Math.max(modes.venue[0], modes.underlying[underlying])', 'modes.underlying[underlying]'],
    ['modes: the mode of the contract wins over a stricter one',
      'Math.max(underlyingMode(modes, underlying[slot]), modes.contract[slot])',
      'modes.contract[slot] || underlyingMode(modes, underlying[slot])'],
    ['modes: those of contracts are in no snapshot',
      "    { name: 'modes.contract', column: modes.contract, used: contracts },\n", ''],
  ]),
  ...of('instruments/instruments', 'core/lifecycle/reuse', [
    ['modes: a new contract has the mode of the last in its row', '  instruments.modes.contract[slot] = MARKET_OPEN;\n', ''],
  ]),
  ...of('trading/place', 'core/trading/modes', [
    ['modes: the client id is checked before the mode',
      'if (closed !== OK) return closed;', 'if (closed !== OK && findSameClientId(orders, views, at, account) < 0) return closed;'],
  ]),
  ...of('trading/modes', 'core/trading/modes', [
    ['close_only: the open orders on its side are not counted',
      'size + (side === BUY ? holdings.bidSize[row] : holdings.askSize[row]) <=', 'size <='],
    ['blocked: orders that close are taken', 'if (walletMode !== CLOSE_ONLY)', 'if (walletMode !== CLOSE_ONLY && !onlyCloses(trading))'],
  ]),
  ...of('trading/operator', 'core/trading/modes', [
    ['blocked: its open orders stay', 'else if (mode === BLOCKED) endOrders(', 'else if (mode > BLOCKED) endOrders('],
    ['blocked: without room the wallet is blocked and its orders stay',
      '    result.code = ENGINE_BUSY;\n    return;', '    return;'],
    ['modes: a change is not counted in its stream', '  countVenueMode(streams);\n', ''],
  ]),
  ...of('lifecycle/account-closing', 'core/trading/modes', [
    ['blocked: an unused wallet loses its mode with its row', 'accounts.walletMode[account] !== WALLET_OPEN', 'false'],
  ]),
  ...of('trading/price-band', 'core/trading/price-band', [
    ['band: bounds are rounded outwards', 'limitKeyOf(Math.max(1, bound), side)', 'limitKeyOf(Math.max(1, bound), 1 - side)'],
    ['band: narrower than the closing distance', ', closingDistance(margin, instrument));', ');'],
    ['band: volatility points do not widen it', 'Math.max(part, ofVega, ', 'Math.max(part, '],
  ]),
  ...of('lifecycle/sweep', 'core/liquidation/halts', [
    ['halt: the wait goes on', 'waitEnd[account] += time - heldAt[account];', 'waitEnd[account] += 0;'],
    ['halt: the pause of an earlier wait counts', 'risk.calm[account] = risk.heldAt[account] = 0;', 'risk.calm[account] = 0;'],
    ['halt: the time without progress counts during a halt',
      'const isStale = cannotBeTakenOver(lifecycle, account, time);', 'const isStale = hasStaleIndex(lifecycle, account, time);'],
  ]),
  ...of('lifecycle/liquidation', 'core/liquidation/halts', [
    ['halt: accounts are taken over during a halt',
      'isLost && !cannotBeTakenOver(lifecycle, account, time)', 'isLost && !isUnpriced(lifecycle, account, time)'],
    ['halt: a liquidation trades in a halted market',
      'if (tradingMode(instruments, instrument) === HALTED) return false;',
      'if (tradingMode(instruments, instrument) > HALTED) return false;'],
    ['halt: a liquidation trades in a cancel-only market',
      'tradingMode(instruments, instrument) === HALTED', 'tradingMode(instruments, instrument) !== 0'],
  ]),
  ...of('valuation/marks', 'core/liquidation/halts', [
    ['halt: quotes move marks in a halted market', '|| !isMarketOpen(instruments, slot)) return;', ') return;'],
  ]),
  ...of('valuation/fit', 'core/liquidation/halts', [
    ['halt: quotes move the surface in a halted market', '    if (!isMarketOpen(instruments, slot)) continue;\n', ''],
  ]),
  ...of('lifecycle/funding-rate', 'core/liquidation/halts', [
    ['halt: premiums are sampled in a halted market', '!isBetween && isMarketOpen(instruments, slot) &&', '!isBetween &&'],
  ]),
];
