// Every command by every kind of sender in every state of the instrument: the exact code of each combination, and that a
// refusal by admission gets no seq. Rows and columns are multiplied, so no combination is missing.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { MINUTE, USDC } from '../../../core/units.ts';
import { MARKET_MAKER, TIER1 } from '../../../core/tiers.ts';
import { defaultSettings } from '../../../core/settings.ts';
import type { Views } from '../../../core/codec/record.ts';
import { Scene } from '../../support/scene.ts';
import { audit } from '../../sim/auditor.ts';

const MARKETS = ['unlisted', 'active', 'past expiry', 'pending price'] as const;
const SENDERS = ['unknown', 'open', 'no funds', 'tier1', 'market maker', 'agent', 'expired agent', 'revoked agent', 'stranger'] as const;
const COMMANDS = ['buy', 'sell', 'cancel', 'cancel by client id', 'approve', 'revoke', 'tier'] as const;
type Market = typeof MARKETS[number];
type Sender = typeof SENDERS[number];
type Command = typeof COMMANDS[number];

/** Wallets by number; agents act for the wallet of their column. */
const wallet = (sender: Sender): number => 10 + SENDERS.indexOf(sender);
const agent = (sender: Sender): number => 100 + SENDERS.indexOf(sender);
const isAgent = (sender: Sender): boolean => sender === 'agent' || sender.endsWith(' agent') || sender === 'stranger';
const hasOrder = (sender: Sender): boolean => sender !== 'unknown' && sender !== 'no funds';

/** A venue in which every sender is what its name says, with an open bid `own` in the contract; then the market's state. */
function prepare(market: Market): Scene {
  const scene = new Scene();
  const poor = defaultSettings();
  poor[0] = 0;
  for (const sender of SENDERS) {
    if (sender === 'unknown') continue;
    if (sender === 'no funds') scene.venue(scene.write.configure(poor));
    else scene.venue(scene.write.configure(defaultSettings()));
    assert.equal(scene.cancel(wallet(sender), 0), C.ORDER_NOT_FOUND);
    if (sender === 'tier1') scene.send(scene.write.tier(wallet(sender), TIER1));
    if (sender === 'market maker') scene.send(scene.write.tier(wallet(sender), MARKET_MAKER));
    if (hasOrder(sender)) assert.equal(scene.buy(wallet(sender), 1, 1, { clientId: 'own' }), C.OK);
    const expires = sender === 'expired agent' ? scene.now + MINUTE : 0;
    if (isAgent(sender) && sender !== 'stranger') {
      scene.send(scene.write.agent('approve', wallet(sender), scene.next(), agent(sender), expires));
    }
    if (sender === 'revoked agent') scene.send(scene.write.agent('revoke', wallet(sender), scene.next(), agent(sender)));
  }
  scene.venue(scene.write.configure(defaultSettings()));
  const { expiry } = scene.contract(scene.atm);
  if (market === 'unlisted' || market === 'active') scene.now += MINUTE;
  else scene.now = expiry;
  if (market === 'pending price') scene.settle();
  return scene;
}

function record(scene: Scene, market: Market, sender: Sender, command: Command): Views {
  const { write } = scene;
  const who = wallet(sender);
  // A sender without an order names the one of the stranger's wallet, which stays open to the end.
  const own = (scene.orders(who)[0] ?? scene.orders(wallet('stranger'))[0])?.id ?? 1;
  const contract = { ...scene.contract(scene.atm), ...(market === 'unlisted' ? { strike: 1 } : {}) };
  const order = { ...contract, wallet: who, nonce: scene.next(), price: USDC, size: 1_000 };
  switch (command) {
    case 'buy': write.place({ ...order, side: 0 }); break;
    case 'sell': write.place({ ...order, price: 999_000 * USDC, side: 1 }); break;
    case 'cancel': write.cancel(who, scene.next(), market === 'unlisted' ? 1_000 : own); break;
    case 'cancel by client id': write.cancelByClientId(who, scene.next(), market === 'unlisted' ? 'other' : 'own'); break;
    case 'approve': write.agent('approve', who, scene.next(), 77); break;
    case 'revoke': write.agent('revoke', who, scene.next(), 78); break;
    case 'tier': return write.tier(who, 0);
  }
  return write.amend(isAgent(sender) ? { signer: agent(sender) } : {});
}

function expected(market: Market, sender: Sender, command: Command): number {
  if (command === 'tier') return C.OK;
  const isAboutAgents = command === 'approve' || command === 'revoke';
  if (isAgent(sender) && (sender !== 'agent' || isAboutAgents)) return C.UNAUTHORIZED;
  if (command === 'approve') return C.OK;
  if (command === 'revoke') return C.AGENT_NOT_FOUND;
  if (command === 'cancel by client id') return hasOrder(sender) && (market === 'active' || market === 'past expiry') ? C.OK : C.NOT_OPEN;
  if (command === 'cancel') {
    if (market === 'unlisted') return C.ORDER_NOT_FOUND;
    if (market === 'pending price') return C.NOT_OPEN;
    return hasOrder(sender) ? C.OK : C.ORDER_NOT_FOUND;
  }
  if (market === 'unlisted') return C.NOT_LISTED;
  if (market !== 'active') return C.EXPIRED;
  if (sender === 'no funds') return C.NO_FUNDS;
  return sender === 'tier1' && command === 'sell' ? C.TIER1_SHORT : C.OK;
}

/** Refusals that admission makes: no seq. `unknown` is refused its revoke before it has an account. */
function isJournaled(sender: Sender, code: number): boolean {
  if (code === C.UNAUTHORIZED) return false;
  return !(code === C.AGENT_NOT_FOUND && sender === 'unknown');
}

for (const market of MARKETS) {
  test(`each command by each kind of sender gets its code when the instrument is ${market}`, () => {
    for (const command of COMMANDS) {
      // A fresh venue for each command, so that no cell sees what another did.
      const scene = prepare(market);
      for (const sender of SENDERS) {
        const name = `${command}, ${sender}, ${market}`;
        const [seq, hash] = [scene.seq(), scene.hash()];
        const code = scene.send(record(scene, market, sender, command));
        assert.equal(code, expected(market, sender, command), name);
        assert.equal(scene.seq() - seq, isJournaled(sender, code) ? 1 : 0, name);
        if (!isJournaled(sender, code)) assert.equal(scene.hash(), hash, name);
        audit(scene.state);
      }
    }
  });
}
