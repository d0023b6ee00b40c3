// Planted faults of batches and of the actions that become one, and of agents with a name.

import { of, type Mutant } from './fault.ts';

const BATCH = 'core/trading/batch';
const GROUPS = 'core/trading/groups';
const EXCHANGE = ['test/shell/api/hl/exchange.test.ts'];

/** Of one file of the shell. */
function shell(file: string, faults: readonly (readonly [name: string, find: string, replace: string])[]): Mutant[] {
  return faults.map(([name, find, replace]) => ({ name, file: `shell/${file}.ts`, find, replace, tests: EXCHANGE }));
}

export const BATCHES: readonly Mutant[] = [
  ...of('trading/batch', BATCH, [
    ['batch: a batch at its valid_until is accepted', 'until !== 0 && until <= time', 'until !== 0 && until < time'],
    ['batch: an item has the numbers of the one before', '    result.numbers.fill(0);\n    taker.paid', '    taker.paid'],
    ['batch: a refused item has no event', 'if (result.code !== OK) writeRefusal(', 'if (result.code < OK) writeRefusal('],
    ['batch: items know no cap on open orders', 'mostOpen: views.f64[double + DOUBLE_BATCH_OPEN]', 'mostOpen: -1'],
    ['batch: a replace by client id finds nobody', 'writeSafe(item, WORD_REPLACED_ID, orderId(books, slot));', ''],
    ['batch: a cancel may be scheduled for at once', 'at < time + least', 'at < time'],
    ['batch: a cancel is scheduled so far after now', 'if (at !== 0) item.f64[DOUBLE_TIMEOUT] = at - time;', ''],
    ['batch: a group is placed without its entry', 'ended !== 0 && filled === 0', 'ended < 0'],
    ['batch: refused items are not counted', 'if (result.code !== OK) refused++;', ''],
  ]),
  ...of('trading/batch', GROUPS, [
    ['group: a replace forgets the client id', 'u8[BYTE_ORDER_CLIENT_ID] = length;', ''],
    ['group: a replaced entry is one no more', 'u8[BYTE_ORDER_FLAGS] |= FLAG_ENTRY;', 'u8[BYTE_ORDER_FLAGS] |= 0;'],
  ]),
  ...of('trading/groups', GROUPS, [
    ['group: a first fill is not noticed', 'watchTriggers(trading, groupOf(extended, books, slot, scratch.link));', ''],
    ['group: an entry stays one after a fill', '  endEntry(extended, slot);\n}', '}'],
    ['group: the end of a replaced entry ends nothing', '  endAwaiting(trading, link);\n', ''],
  ]),
  ...of('trading/remove-order', GROUPS, [
    ['group: an entry that is cancelled leaves what awaits it', 'if (isExtended(trading.orders, slot)) endGroup(trading, slot);', ''],
    ['group: the end of an entry ends members that await nothing',
      'if (awaitsEntry(orders.extended, scratch.slots[i])) withdraw', 'withdraw'],
  ]),
  ...of('trading/move-order', GROUPS, [
    ['group: an entry that fires and meets nobody leaves what awaits it', '  if (isExtended(orders, slot)) endGroup(trading, slot);\n', ''],
  ]),
  ...of('trading/reduce-only', GROUPS, [
    ['group: an earlier position that closes ends what awaits an entry', ' && !awaitsEntry(orders.extended, slot)', ''],
  ]),
  ...of('orders/orders', GROUPS, [
    ['group: triggers fire before their entry', "if ((rest.flags & FLAG_REDUCE_ONLY) !== 0) awaitEntry(orders, slot);", ''],
    ['group: what does not reduce awaits the entry too', 'if ((rest.flags & FLAG_REDUCE_ONLY) !== 0) awaitEntry(', 'awaitEntry('],
  ]),
  ...of('trading/place', GROUPS, [
    ['group: an entry filled in part on arrival is still awaited', 'left < size && isEntryRecord', 'left < 0 && isEntryRecord'],
  ]),
  ...of('positions/perp-accounts', 'shell/reader/funding', [
    ['perps: a position that turned goes on', ' || (after !== 0 && (before > 0) !== (after > 0))', ''],
    ['perps: a change of the position is not seen', 'cells[at + BEFORE_CHANGE] = cells[at + PAID];', ''],
  ]),
  ...of('positions/perp-accounts', 'core/engine/closing', [
    ['perps: an account that is opened again has a leverage', 'perps.cells.fill(0, at, at + CELLS);', ''],
  ]),
  ...of('trading/leverage', 'core/trading/leverage', [
    ['leverage: more than margin allows is chosen', 'leverage < 1 || leverage > most ?', 'leverage < 1 ?'],
    ['leverage: what was chosen is shown though margin allows less', 'Math.min(chosen, most)', 'chosen'],
  ]),
  ...of('codec/batch-items', BATCH, [
    ['batch: an item knows no cap on triggers', 'writeCaps(out, 0, triggers, positions);', ''],
  ]),
  ...of('sequencer/admission', BATCH, [
    ['batch: a batch is charged as one command', 'kind === MASS_QUOTE || kind === BATCH ? partsOf', 'kind === MASS_QUOTE ? partsOf'],
    ['batch: cancels are charged as orders',
      'kind === BATCH ? views.u32[(at >>> 2) + WORD_BATCH_RATE] : rateClassOf(kind)', 'rateClassOf(kind)'],
    ['batch: orders are taken with little disk space', 'WORD_BATCH_RATE] === ORDERS) return', 'WORD_BATCH_RATE] > 9) return'],
  ]),
  ...shell('api/hl/order-wire', [
    ['dialect: a price is rounded to the loss of a buyer', 'const price = onGrid(p, !isBuy);', 'const price = onGrid(p, isBuy);'],
    ['dialect: a take profit waits on the wrong side', "(trigger.tpsl === 'tp') !== isBuy", "(trigger.tpsl === 'tp') === isBuy"],
    ['dialect: members of a group may open', 'r || isMember(group) ? FLAG_REDUCE_ONLY', 'r ? FLAG_REDUCE_ONLY'],
    ['dialect: Alo takes', "limit?.tif === 'Alo' ? 'reject' : ''", "''"],
    ['dialect: a modify by cloid takes another cloid', "clientId !== '' && clientId !== cloid", "clientId === '' && clientId !== cloid"],
  ]),
  ...shell('api/hl/answers', [
    ['dialect: a modified order is told without its cloid', "clientId === '' ? kept.get(id) : clientId", "clientId || undefined"],
  ]),
  ...shell('api/hl/exchange', [
    ['dialect: an agent of several wallets acts for the first', 'wallet !== undefined && others.length === 0', 'wallet !== undefined'],
    ['dialect: the stored text differs from the hashed one', 'digestAction(actionOfText(text),', 'digestAction(action,'],
    ['dialect: a stranger opens an account',
      'if (facts.isWallet) return signer;', 'if (facts.isWallet || facts.wallets.length === 0) return signer;'],
  ]),
  ...shell('api/verify-record', [
    ['audit: an action may be of another wallet than it names',
      "const isOfOther = vaultAddress !== ''", "const isOfOther = vaultAddress === 'x'"],
  ]),
  ...shell('api/hl/approve-agent', [
    ['dialect: an approval for mainnet counts here', 'if (hyperliquidChain !== TESTNET)', "if (hyperliquidChain === '')"],
    ['dialect: an approval may have two nonces', ' || read.value.nonce !== nonce', ''],
  ]),
  ...[
    ['agents: the former agent of a name may sign on', 'revokeAgent(agents, accounts, account, agents.address, former * 5, time);', ''],
    ['agents: the same agent again is revoked', 'former >= 0 && !sameAddress(agents.address, former * 5, u32, agent)', 'former >= 0'],
  ].map(([name, find, replace]): Mutant => (
    { name: name!, file: 'core/trading/wallets.ts', find: find!, replace: replace!, tests: EXCHANGE }
  )),
];
