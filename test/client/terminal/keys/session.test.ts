// Who signs for the page: throwaway keys, wallets and agents, against a scripted venue. What must never be signed is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import {
  Forms, privateKeySigner, StrikebookError, type ConnectOptions, type ExchangeInfo, type Signer, type TypedData,
} from '../../../../client/src/main.ts';
import { Session, type Tabs } from '../../../../client/terminal/keys/session.ts';
import { NOT_SECURE, Vault } from '../../../../client/terminal/keys/vault.ts';
import { until } from '../../until.ts';
import { placeInMemory } from './place-in-memory.ts';
import { StandInWallet } from './stand-in-wallet.ts';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
const WALLET_KEY = `0x${'11'.repeat(32)}`;

function infoOf(more: Partial<ExchangeInfo> = {}): ExchangeInfo {
  return {
    exchange_address: `0x${'0'.repeat(40)}`, chain_id: 998, signing_domain: { name: 'venue', version: '1' },
    perp_signing_domain: { name: 'Exchange', version: '1', chain_id: 1337 }, perp_source: 'b', venue_id: 'venue-a', head_seq: 1,
    head_hash: '', perp_assets: [{ underlying: 'BTC', symbol: 'BTC-PERP', asset: 0 }], ...more,
  };
}

/** `isLost`: the venue acts and its answer never comes; 'before': it does not act either. */
type Answers = { given?: string; refuse?: string; isDown?: boolean; isLost?: boolean | 'before' };

function setUp({ place = placeInMemory(), answers = {}, secure = true, tabs }: {
  readonly place?: ReturnType<typeof placeInMemory>; readonly answers?: Answers; readonly secure?: boolean; readonly tabs?: Tabs;
} = {}) {
  const venue = signal<ExchangeInfo | null>(infoOf());
  const timeMs = signal(NOW);
  const provider = new StandInWallet({ key: WALLET_KEY, chain: 998 });
  const browserWallet = { id: 'w', name: 'Stand-in', icon: null, provider };
  const agents = new Set<string>();
  const signed: TypedData[] = [];
  const act = async (signer: Signer, data: TypedData, effect: () => void) => {
    await signer.signTypedData(data);
    if (answers.refuse !== undefined) return { success: false, error: answers.refuse };
    signed.push(data);
    if (answers.isLost !== 'before') effect();
    if (answers.isLost !== undefined) throw new StrikebookError('no_answer', 'POST: reset');
    return { success: true, error: null };
  };
  const connect = async ({ signer, wallet }: ConnectOptions) => {
    if (answers.isDown === true) throw new Error('The venue does not answer');
    const forms = (): Forms => new Forms(venue.value!, signer!.address, wallet === undefined ? {} : { wallet });
    return {
      get: async (path: string) => (path === '/portfolio' ? { available_balance: answers.given ?? '10000000' } : { agents: [...agents] }),
      approveAgent: (agent: string, { expires_at: until }: { readonly expires_at?: number } = {}) => (
        act(signer!, forms().approveAgent(agent, until).items[0]!.data, () => agents.add(agent))
      ),
      revokeAgent: (agent: string) => act(signer!, forms().revokeAgent(agent).items[0]!.data, () => agents.delete(agent)),
    } as never;
  };
  const vault = new Vault(secure ? crypto : { getRandomValues: crypto.getRandomValues.bind(crypto) }, place);
  const session = new Session({ venue, timeMs, wallets: signal([browserWallet]), vault, connect, ...(tabs && { tabs }) });
  return { agents, answers, browserWallet, place, provider, session, signed, timeMs, venue };
}

const ORDER = { symbol: 'BTC-20270129-100000-C', side: 'Buy', size: '1', price: '100' } as const;

/** Signs an order as the page does it, and gives the address that signed. */
async function order(session: Session, info: ExchangeInfo, terms: { readonly symbol: string } = ORDER): Promise<string> {
  const { signer, wallet } = session.trading.value!;
  await signer.signTypedData(new Forms(info, signer.address, { wallet }).placeOrder({ ...ORDER, ...terms }).items[0]!.data);
  return signer.address;
}

async function withAgent(options: Parameters<typeof setUp>[0] = {}) {
  const all = setUp(options);
  await all.session.start();
  assert.ok(await all.session.connectWallet(all.browserWallet));
  assert.ok(await all.session.approveAgent(), all.session.problem.value ?? '');
  return all;
}

test('a venue that gives new wallets a balance is a test venue, and a throwaway key trades on it without a prompt', async () => {
  const { provider, session, venue } = setUp();
  await session.start();
  assert.equal(session.isTestVenue.value, true);
  assert.ok(await session.tryThrowaway());
  assert.equal(session.state.value, 'throwaway');
  assert.equal(await order(session, venue.value!), session.wallet.value);
  assert.equal(await order(session, venue.value!, { symbol: 'BTC-PERP' }), session.wallet.value);
  assert.deepEqual(provider.calls, []);
  assert.equal(privateKeySigner(session.exportKey()!).address, session.wallet.value);
});

test('a venue that gives new wallets nothing is no test venue', async () => {
  const { session } = setUp({ answers: { given: '0' } });
  await session.start();
  assert.equal(session.isTestVenue.value, false);
});

test('a throwaway key survives a reload and is gone once it is forgotten', async () => {
  const { place, session } = setUp();
  await session.start();
  await session.tryThrowaway();
  const again = setUp({ place });
  await again.session.start();
  assert.equal(again.session.wallet.value, session.wallet.value);
  assert.equal(await again.session.tryThrowaway(), false);
  assert.match(again.session.problem.value!, /has a key already/);
  assert.ok(await again.session.forget());
  assert.equal(again.session.state.value, 'none');
  const third = setUp({ place });
  await third.session.start();
  assert.equal(third.session.wallet.value, null);
});

test('the wallet signs once, and the agent then signs for it for 24 hours without a prompt', async () => {
  const { agents, provider, session, signed, timeMs, venue } = await withAgent();
  assert.deepEqual(provider.calls.filter((call) => call === 'eth_signTypedData_v4').length, 1);
  assert.equal(signed[0]!.primaryType, 'ApproveAgentUntil');
  assert.equal(signed[0]!.message['expiresAt'], String(NOW + DAY));
  assert.equal(session.key.value!.expires_at, NOW + DAY);
  const { kind, signer, wallet } = session.trading.value!;
  assert.deepEqual([kind, wallet, agents.has(signer.address)], ['agent', provider.address, true]);
  await order(session, venue.value!);
  assert.equal(provider.calls.filter((call) => call === 'eth_signTypedData_v4').length, 1);
  assert.equal(session.exportKey(), null);
  timeMs.value = NOW + DAY - 1;
  await order(session, venue.value!);
  const handedOut = session.trading.value!.signer;
  timeMs.value = NOW + DAY;
  assert.equal(session.state.value, 'expired');
  assert.equal(session.trading.value!.kind, 'wallet');
  await assert.rejects(handedOut.signTypedData(new Forms(venue.value!, wallet).placeOrder(ORDER).items[0]!.data), /expired at 2027-01-16/);
});

test('what the wallet is asked to sign can be seen while it is asked, and not afterwards', async () => {
  const { browserWallet, provider, session } = setUp();
  await session.start();
  await session.connectWallet(browserWallet);
  const { request } = provider;
  const seen: (string | undefined)[] = [];
  provider.request = (call) => {
    if (call.method === 'eth_signTypedData_v4') seen.push(session.waiting.value?.primaryType);
    return request.call(provider, call);
  };
  await session.approveAgent();
  assert.deepEqual(seen, ['ApproveAgentUntil']);
  assert.equal(session.waiting.value, null);
});

test('an agent survives a reload, and is dropped when it was revoked elsewhere', async () => {
  const { agents, place, session } = await withAgent();
  const again = setUp({ place });
  for (const agent of agents) again.agents.add(agent.toUpperCase().replace('0X', '0x'));
  await again.session.start();
  assert.equal(again.session.state.value, 'agent');
  assert.equal(again.session.trading.value!.wallet, session.wallet.value);
  const revoked = setUp({ place });
  await revoked.session.start();
  assert.equal(revoked.session.state.value, 'none');
  assert.match(revoked.session.problem.value!, /has been revoked/);
  assert.equal(place.record, undefined);
});

test('an agent that is revoked while the page is open signs nothing more, unless the venue names it again', async () => {
  const { agents, session, venue } = await withAgent();
  session.disconnectWallet();
  const { address, wallet } = session.key.value!;
  session.hearAgents(address, [...agents]);
  assert.equal(await order(session, venue.value!), address);
  const handedOut = session.trading.value!.signer;
  const { data } = new Forms(venue.value!, address, { wallet }).placeOrder(ORDER).items[0]!;
  session.hearAgents(address, []);
  assert.deepEqual([session.state.value, session.trading.value, session.wallet.value], ['revoked', null, wallet]);
  await assert.rejects(handedOut.signTypedData(data), /has been revoked/);
  session.hearAgents(address, [...agents]);
  assert.equal(await order(session, venue.value!), address);
});

test('a new agent of the same wallet signs after the one before was revoked', async () => {
  const { session, venue } = await withAgent();
  session.hearAgents(session.key.value!.address, []);
  assert.equal(session.state.value, 'revoked');
  assert.ok(await session.approveAgent());
  assert.equal(session.state.value, 'agent');
  assert.equal(await order(session, venue.value!), session.key.value!.address);
});

test('a new agent revokes the one before it, whose key is zeroed; one that ended already is not revoked again', async () => {
  const { agents, session, signed, timeMs, venue } = await withAgent();
  const handedOut = session.trading.value!.signer;
  const { data } = new Forms(venue.value!, handedOut.address, { wallet: session.wallet.value! }).placeOrder(ORDER).items[0]!;
  assert.ok(await session.approveAgent());
  assert.deepEqual(signed.map(({ primaryType }) => primaryType), ['ApproveAgentUntil', 'ApproveAgentUntil', 'RevokeAgent']);
  assert.equal(signed[2]!.message['agent'], handedOut.address);
  assert.deepEqual([...agents], [session.key.value!.address]);
  await assert.rejects(handedOut.signTypedData(data), /no longer has the key/);
  timeMs.value = NOW + DAY;
  assert.ok(await session.approveAgent());
  assert.equal(signed.filter(({ primaryType }) => primaryType === 'RevokeAgent').length, 1);
});

test('an owner who connects sees the agents of other places without a key in the page, and can revoke them', async () => {
  const { agents, answers, browserWallet, session } = setUp();
  const other = `0x${'ab'.repeat(20)}`;
  agents.add(other);
  await session.start();
  assert.deepEqual(session.otherAgents.value, []);
  assert.ok(await session.connectWallet(browserWallet));
  assert.deepEqual([session.otherAgents.value, session.state.value], [[other], 'wallet']);
  assert.ok(await session.revokeAgent(other));
  assert.deepEqual([session.otherAgents.value, [...agents]], [[], []]);
  agents.add(other);
  session.disconnectWallet();
  await session.connectWallet(browserWallet);
  assert.deepEqual(session.otherAgents.value, [other]);
  session.disconnectWallet();
  assert.deepEqual(session.otherAgents.value, []);
  answers.isDown = true;
  assert.ok(await session.connectWallet(browserWallet));
  assert.deepEqual(session.otherAgents.value, []);
});

test('an earlier agent that could not be revoked is named, listed, and can be revoked later', async () => {
  const { agents, answers, browserWallet, provider, session } = await withAgent();
  const { address: first } = session.key.value!;
  const { request } = provider;
  provider.request = (call) => {
    const isRevocation = call.method === 'eth_signTypedData_v4' && String(call.params?.[1]).includes('"primaryType":"RevokeAgent"');
    return isRevocation ? Promise.reject(Object.assign(new Error('no'), { code: 4001 })) : request.call(provider, call);
  };
  assert.equal(await session.approveAgent(), false);
  assert.match(session.problem.value!, /The new agent key signs, but the one before it is still approved: You declined/);
  assert.equal(session.state.value, 'agent');
  const { address } = session.key.value!;
  session.hearAgents(address, [...agents]);
  assert.deepEqual(session.otherAgents.value, [first]);
  session.hearAgents(first, []);
  assert.deepEqual([session.otherAgents.value, session.state.value], [[first], 'agent']);
  provider.request = request;
  answers.refuse = 'Unknown agent';
  assert.equal(await session.revokeAgent(first), false);
  delete answers.refuse;
  session.disconnectWallet();
  await session.connectWallet(browserWallet);
  assert.ok(await session.revokeAgent(first));
  assert.deepEqual([session.otherAgents.value, [...agents], session.state.value], [[], [address], 'agent']);
});

for (const isLost of [true, 'before'] as const) {
  const when = isLost === true ? 'after' : 'before';
  test(`given the answer to an approval is lost ${when} the venue acted, then trying again ends it`, async () => {
    const { agents, answers, browserWallet, place, session, signed, venue } = setUp({ answers: { isLost } });
    await session.start();
    await session.connectWallet(browserWallet);
    assert.equal(await session.approveAgent(), false);
    assert.match(session.problem.value!, /^POST: reset Whether it approved the key is not known/);
    assert.deepEqual([session.state.value, place.record], ['wallet', undefined]);
    delete answers.isLost;
    assert.ok(await session.approveAgent());
    assert.equal(signed.length, isLost === true ? 1 : 2);
    assert.deepEqual([...agents], [session.key.value!.address]);
    assert.equal(await order(session, venue.value!), session.key.value!.address);
  });
}

test('given two tabs, when one makes, replaces or forgets the key, then the other has the same', async () => {
  const place = placeInMemory();
  const heard: (() => void)[] = [];
  const tab = (at: number): Tabs => ({
    hear: (listener) => { heard[at] = listener; }, tell: () => heard.forEach((listener, other) => { if (other !== at) listener(); }),
  });
  const [one, other] = [setUp({ place, tabs: tab(0) }), setUp({ place, tabs: tab(1) })];
  await one.session.start();
  await other.session.start();
  const followed = () => until('the other tab has the key', () => {
    const trading = other.session.trading.value;
    return trading !== null && trading.signer.address === one.session.key.value?.address && trading;
  });
  await one.session.connectWallet(one.browserWallet);
  assert.ok(await one.session.approveAgent());
  const first = await followed();
  assert.ok(await one.session.approveAgent());
  await followed();
  const { data } = new Forms(other.venue.value!, first.wallet).placeOrder(ORDER).items[0]!;
  await assert.rejects(first.signer.signTypedData(data), /no longer has the key/);
  assert.equal(await order(other.session, other.venue.value!), one.session.key.value!.address);
  assert.equal(await other.session.tryThrowaway(), false);
  assert.ok(await other.session.forget());
  await until('the key is forgotten here as well', () => one.session.key.value === null);
  assert.equal(one.session.state.value, 'wallet');
});

test('a venue that does not answer at the start leaves a stored agent in place', async () => {
  const { place } = await withAgent();
  const again = setUp({ place, answers: { isDown: true } });
  await again.session.start();
  assert.equal(again.session.state.value, 'agent');
  assert.match(again.session.problem.value!, /does not answer/);
});

test('revoking needs the wallet, ends the agent at the venue, and the page forgets it', async () => {
  const { agents, browserWallet, place, session } = await withAgent();
  session.disconnectWallet();
  assert.equal(await session.revokeAgent(), false);
  assert.match(session.problem.value!, /Connect the wallet first/);
  await session.connectWallet(browserWallet);
  const handedOut = session.trading.value!.signer;
  assert.ok(await session.revokeAgent());
  assert.deepEqual([agents.size, place.record, session.state.value], [0, undefined, 'wallet']);
  const order = new Forms(infoOf(), handedOut.address).placeOrder(ORDER).items[0]!.data;
  await assert.rejects(handedOut.signTypedData(order), /no longer has the key/);
});

test('a refusal of the venue is shown in its own words, and no key is kept', async () => {
  const { browserWallet, place, session } = setUp({ answers: { refuse: 'Too many agents' } });
  await session.start();
  await session.connectWallet(browserWallet);
  assert.equal(await session.approveAgent(), false);
  assert.equal(session.problem.value, 'Too many agents');
  assert.deepEqual([session.key.value, place.record], [null, undefined]);
});

test('neither an agent nor a throwaway key nor a wallet signs when another venue answers at the same address', async () => {
  for (const kind of ['agent', 'throwaway', 'wallet'] as const) {
    const { browserWallet, provider, session, venue } = kind === 'agent' ? await withAgent() : setUp();
    if (kind === 'throwaway') await session.tryThrowaway();
    if (kind === 'wallet') await session.connectWallet(browserWallet);
    const { signer, wallet } = session.trading.value!;
    const { data } = new Forms(venue.value!, signer.address, { wallet }).placeOrder(ORDER).items[0]!;
    venue.value = infoOf({ venue_id: 'venue-b' });
    const calls = provider.calls.length;
    await assert.rejects(signer.signTypedData(data), /of venue venue-a, but venue venue-b answers now/);
    assert.equal(provider.calls.length, calls);
    if (kind !== 'wallet') assert.equal(session.state.value, 'foreign');
    venue.value = null;
    await assert.rejects(signer.signTypedData(data), /nothing is signed/);
  }
});

test('a key signs for no other domain, whichever member of it differs, even if the venue changes its own', async () => {
  const { session, venue } = await withAgent();
  const { signer, wallet } = session.trading.value!;
  const { data } = new Forms(venue.value!, signer.address, { wallet }).placeOrder(ORDER).items[0]!;
  for (const other of [{ name: 'other' }, { version: '2' }, { chainId: 1 }, { verifyingContract: `0x${'1'.repeat(40)}` }]) {
    const forged = { ...data, domain: { ...data.domain, ...other } };
    await assert.rejects(signer.signTypedData(forged), /was not made for/, JSON.stringify(other));
  }
  venue.value = infoOf({ chain_id: 999 });
  await assert.rejects(signer.signTypedData(data), /was not made for/);
  await assert.rejects(signer.signTypedData({ ...data, domain: { ...data.domain, chainId: 999 } }), /was not made for/);
  venue.value = infoOf();
  await signer.signTypedData(data);
});

test('a stored key of another venue does not sign after a reload', async () => {
  const { place } = await withAgent();
  const again = setUp({ place });
  again.venue.value = infoOf({ venue_id: 'venue-b' });
  await again.session.start();
  assert.equal(again.session.state.value, 'foreign');
  assert.equal(again.session.trading.value, null);
});

test('without WebCrypto keys work, live in memory only, and the session says why', async () => {
  const { place, session, venue } = await withAgent({ secure: false });
  assert.equal(session.whyMemory.value, NOT_SECURE);
  assert.equal(place.record, undefined);
  await order(session, venue.value!);
});

test('a wallet that changes its account signs nothing more, and its agent goes on', async () => {
  const { provider, session } = await withAgent();
  provider.emit('accountsChanged', [provider.address.toUpperCase().replace('0X', '0x')]);
  assert.equal(session.walletName.value, 'Stand-in');
  provider.emit('accountsChanged', []);
  assert.equal(session.walletName.value, null);
  assert.match(session.problem.value!, /changed its account/);
  assert.equal(session.state.value, 'agent');
});

test('a wallet with another account than the key’s is refused', async () => {
  const { session } = await withAgent();
  session.disconnectWallet();
  const other = new StandInWallet({ key: `0x${'22'.repeat(32)}`, chain: 998 });
  assert.equal(await session.connectWallet({ id: 'o', name: 'Other', icon: null, provider: other }), false);
  assert.match(session.problem.value!, /Choose that account/);
  assert.equal(session.walletName.value, null);
});

test('no secret shows in what the session tells: its signals, its own fields as JSON, and its errors', async () => {
  const { session } = setUp();
  await session.start();
  await session.tryThrowaway();
  const secret = session.exportKey()!.slice(2);
  const told = JSON.stringify([session, session.key.value, session.trading.value, session.wallet.value, session.problem.value]);
  assert.ok(!told.includes(secret));
  assert.ok(!told.includes([...Buffer.from(secret, 'hex')].slice(0, 8).join(',')));
});
