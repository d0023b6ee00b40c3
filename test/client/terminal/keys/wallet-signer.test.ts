// Wallets of the browser, as the page finds them and asks them: announcements, chains that a wallet refuses, signatures.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPrivateKey, Forms, privateKeySigner } from '../../../../client/src/main.ts';
import { discoverWallets } from '../../../../client/terminal/keys/provider.ts';
import { accountsOf, walletSigner } from '../../../../client/terminal/keys/wallet-signer.ts';
import { StandInWallet, type StandInOptions } from './stand-in-wallet.ts';

const CHAIN = 998;
const FACTS = { chain_id: CHAIN, signing_domain: { name: 'venue', version: '1' }, perp_source: 'b', perp_assets: [] };
const DECLINED = { code: 4001, message: 'User rejected the request.' };

function setUp(options: Partial<StandInOptions> = {}, chainId = CHAIN) {
  const key = createPrivateKey();
  const wallet = new StandInWallet({ key, ...options });
  const forms = new Forms({ ...FACTS, chain_id: chainId }, wallet.address);
  const { data } = forms.approveAgent(`0x${'12'.repeat(20)}`, 2_000_000_000_000, 7).items[0]!;
  const sign = (): Promise<string> => walletSigner(wallet, wallet.address).signTypedData(data);
  return { wallet, sign, expected: privateKeySigner(key).signTypedData(data) };
}

test('a wallet on the venue’s chain signs what the library signs, with one request', async () => {
  const { expected, sign, wallet } = setUp({ chain: CHAIN });
  assert.equal(await sign(), await expected);
  assert.deepEqual(wallet.calls, ['eth_signTypedData_v4']);
});

test('a wallet on another chain is asked to switch, and signs then', async () => {
  const { expected, sign, wallet } = setUp({ known: [CHAIN] });
  assert.equal(await sign(), await expected);
  assert.deepEqual(wallet.calls, ['eth_signTypedData_v4', 'eth_chainId', 'wallet_switchEthereumChain', 'eth_signTypedData_v4']);
});

test('a wallet that does not know the chain is asked to add it, then to switch', async () => {
  const { expected, sign, wallet } = setUp();
  assert.equal(await sign(), await expected);
  assert.ok(wallet.calls.includes('wallet_addEthereumChain'));
  assert.equal(wallet.chain, CHAIN);
});

test('if the chain cannot be added or the switch is declined, the error says what to do by hand', async () => {
  const asked = setUp({ known: [CHAIN], refuse: { wallet_switchEthereumChain: DECLINED } });
  await assert.rejects(asked.sign(), /chain 998 \(you declined to switch it\). Add chain 998 to your wallet, switch to it, and try again/);
  const unknown = setUp({}, 31_337);
  await assert.rejects(unknown.sign(), /signs for chain 31337 \(Unrecognized chain ID "0x7a69"\)/);
  const stubborn = setUp({ refuse: { wallet_addEthereumChain: { code: -32601, message: 'Not here' } } });
  await assert.rejects(stubborn.sign(), /signs for chain 998 \(Not here\)/);
});

test('a declined signature is not asked for again, nor is the chain changed', async () => {
  const { sign, wallet } = setUp({ refuse: { eth_signTypedData_v4: DECLINED } });
  await assert.rejects(sign(), { message: 'You declined in your wallet.' });
  assert.deepEqual(wallet.calls, ['eth_signTypedData_v4']);
});

test('a refusal on the right chain is shown in the wallet’s own words', async () => {
  const { sign, wallet } = setUp({ chain: CHAIN, refuse: { eth_signTypedData_v4: { code: -32603, message: 'Device is locked' } } });
  await assert.rejects(sign(), { message: 'Device is locked' });
  assert.ok(!wallet.calls.includes('wallet_switchEthereumChain'));
});

test('a last byte of 0 or 1 becomes 27 or 28, and what is no signature is refused', async () => {
  const { expected, sign } = setUp({ chain: CHAIN, lastByte: (v) => v - 27 });
  assert.equal(await sign(), await expected);
  const wallet = { request: () => Promise.resolve('0x1234') };
  const { data } = new Forms(FACTS, `0x${'12'.repeat(20)}`).revokeAllAgents(1).items[0]!;
  await assert.rejects(walletSigner(wallet, '0x12').signTypedData(data), /no signature/);
});

test('wallets are found whether they announce themselves before or after the page asks, each once', () => {
  const target = new EventTarget();
  const early = new StandInWallet({ key: createPrivateKey(), name: 'Early' });
  early.announce(target);
  const { stop, wallets } = discoverWallets(target);
  const late = new StandInWallet({ key: createPrivateKey(), name: 'Late' });
  late.announce(target);
  late.announce(target);
  assert.deepEqual(wallets.value.map(({ name }) => name), ['Early', 'Late']);
  stop();
  new StandInWallet({ key: createPrivateKey(), name: 'Too late' }).announce(target);
  assert.equal(wallets.value.length, 2);
});

test('announcements without a provider are ignored, and an icon that would be fetched is not shown', () => {
  const target = new EventTarget();
  const { wallets } = discoverWallets(target);
  const announce = (detail: unknown): boolean => target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  const provider = { request: () => Promise.resolve(null) };
  for (const bad of [null, {}, { info: { uuid: 'a', name: 'A' } }, { info: { uuid: 1, name: 'A' }, provider }]) announce(bad);
  assert.equal(wallets.value.length, 0);
  announce({ info: { uuid: 'u', name: '<b>'.repeat(100), icon: 'https://elsewhere.example/icon.png' }, provider });
  assert.equal(wallets.value[0]!.icon, null);
  assert.equal(wallets.value[0]!.name.length, 40);
  for (let i = 0; i < 100; i++) announce({ info: { uuid: `u${i}`, name: 'N' }, provider });
  assert.equal(wallets.value.length, 32);
});

test('accounts are addresses in lower case, and anything else in the answer is left out', async () => {
  const address = `0x${'AB'.repeat(20)}`;
  const provider = { request: () => Promise.resolve([address, 5, '0x12', null]) };
  assert.deepEqual(await accountsOf(provider, true), [address.toLowerCase()]);
  assert.deepEqual(await accountsOf({ request: () => Promise.resolve({}) }, false), []);
});
