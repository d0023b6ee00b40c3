// Faults of one line in trigger orders: how they wait, when and in which order they fire, what ends them, for scripts/mutants.ts.

import { of, type Mutant } from './fault.ts';

const FIRING = 'core/trading/triggers';
const WAITING = 'core/trading/waiting';

export const TRIGGERS: readonly Mutant[] = [
  ...of('orders/triggers', FIRING, [
    ['triggers: an equal value does not fire', 'value >= price : value <= price', 'value > price : value < price'],
    ['triggers: of one price, the younger order is first', 'return orderId(books, slot) > id;', 'return orderId(books, slot) < id;'],
    ['triggers: the nearest price is not noted when its order leaves',
      "was counted');\n  noteNearest(triggers, tree);", "was counted');"],
  ]),
  ...of('orders/triggers', 'core/trading/trigger-index', [
    ['triggers: a node with two children loses its right subtree',
      'nodes[next * WORDS + RIGHT] = right;\n', 'nodes[next * WORDS + RIGHT] = 0;\n'],
  ]),
  ...of('lifecycle/firing', FIRING, [
    ['firing: a stale index fires', 'if (isIndexStale(valuation, settings, underlying, time)) return endPass(firing, underlying);', ';'],
    ['firing: reduce-only orders come last', 'const isReduceOnly = phase < PHASES / 2;', 'const isReduceOnly = phase >= PHASES / 2;'],
    ['firing: the mark stands for theo',
      'return by === BY_THEO ? valuation.theo[contract]', 'return by === BY_THEO ? valuation.mark[contract]'],
    ['firing: a wallet that waits stops the pass', 'else waiting++;', 'else return endPass(firing, underlying);'],
    ['firing: a step has no bound of fills', '- firstTrade >= FILLS_A_FIRING_STEP', '- firstTrade >= Infinity'],
  ]),
  ...of('lifecycle/work-steps', FIRING, [
    ['firing: a long cancel comes before all triggers', 'takeTurn(cancelJobs, isIdleElse && !isFiring && !isReclaiming)',
      'takeTurn(cancelJobs, isIdleElse)'],
  ]),
  ...of('trading/fire-order', FIRING, [
    ['firing: a reduce-only order without a position is refused before its wallet is asked',
      'if (closed !== OK) return closed;', 'if (closed !== OK && candidate.size > 0) return closed;'],
    ['firing: queued cancels of the wallet do not hold its triggers',
      'hasCancelJobOf(cancelJobs, account))) return false;', 'false)) return false;'],
    ['firing: the position limit is not judged', 'return limited !== OK ? limited', 'return limited < OK ? limited'],
    ['firing: a price that would take rests all the same', 'judgePrice(trading, postOnly, 0)', 'judgePrice(trading, 0, 0)'],
  ]),
  ...of('trading/fire-order', WAITING, [
    ['firing: the cap on positions is not applied', 'if (exceedsPositions(trading, slot, flags)) return MAX_POSITIONS;\n', '\n'],
    ['firing: a reduce-only order is not cut to its position',
      'Math.min(candidate.size, reducible(holdings.position[row], candidate.side))', 'candidate.size'],
  ]),
  ...of('trading/reduce-only', WAITING, [
    ['triggers: a reduce-only order ends before its position exists', 'reducible(before, side) > 0 && ', ''],
    ['triggers: waiting reduce-only orders are not counted', ' + reduceOnlyTriggers(orders, holdings, candidate.row)', ''],
  ]),
  ...of('trading/cancel-all', WAITING, [
    ['triggers: the dead man’s switch ends protective orders', '&& !(leavesReduceOnly(reason) && isReduceOnlyTrigger(orders, slot))', ''],
  ]),
  ...of('trading/trigger-orders', WAITING, [
    ['triggers: one more than the tier allows may wait', 'others >= most - 1', 'others >= most'],
  ]),
  ...of('sequencer/admission', WAITING, [
    ['triggers: an amended order takes the room of one that waits', 'books, 1, orders.counters[UNTRIGGERED])', 'books, 1, 0)'],
    ['triggers: quotes take the room of one that waits', 'placements, orders.counters[UNTRIGGERED])', 'placements, 0)'],
  ]),
  ...of('trading/room', WAITING, [
    ['triggers: other orders take the room of one that waits', 'leaving, orders.counters[UNTRIGGERED])', 'leaving, 0)'],
    ['triggers: replacing a waiting order frees room below the position limit',
      'replaced !== 0 && isUntriggered(orders, replaced) ? 0 : replaced);', 'replaced);'],
  ]),
  ...of('trading/fill', WAITING, [
    ['triggers: a fired order takes its fill off itself',
      'fillLink(trading, taker.link, taker.slot,', 'fillLink(trading, taker.link, 0,'],
  ]),
  ...of('lifecycle/takeover', WAITING, [
    ['triggers: pre-liquidation ends protective orders too',
      'if (isAll || !isReduceOnlyTrigger(orders, slot)) {', 'if (isAll || slot !== 0) {'],
  ]),
  {
    name: 'fills: the fills of a fired order are published only at its end', file: 'shell/reader/channels/fills.ts',
    find: 'if (f[ORDER_SLOT] === FORCED) forced', replace: 'if (f[ORDER_SLOT]! < 0) forced', tests: ['test/shell/reader/streams.test.ts'],
  },
];
