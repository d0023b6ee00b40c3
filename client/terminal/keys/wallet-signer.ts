// Signs with a browser's wallet. Many refuse typed data of another chain: the wallet is asked to switch, then to add the chain; the error
// says what to do by hand.

import { DOMAIN_MEMBERS, type Signer, type TypedData } from '../../src/main.ts';
import { codeOf, DECLINED, messageOf, UNKNOWN_CHAIN, type Provider } from './provider.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/** Other chains have to be added by hand. */
const CHAINS: Readonly<Record<number, { readonly name: string; readonly rpc: string }>> = {
  998: { name: 'HyperEVM Testnet', rpc: 'https://rpc.hyperliquid-testnet.xyz/evm' },
  999: { name: 'HyperEVM', rpc: 'https://rpc.hyperliquid.xyz/evm' },
};
const CURRENCY = { name: 'HYPE', symbol: 'HYPE', decimals: 18 };

class WalletRefusal extends Error {
  override readonly name = 'WalletRefusal';
}

/** Lower case. `mayAsk`: the wallet may open its window. */
export async function accountsOf(provider: Provider, mayAsk: boolean): Promise<readonly string[]> {
  const answer = await ask(provider, mayAsk ? 'eth_requestAccounts' : 'eth_accounts');
  const accounts = Array.isArray(answer) ? answer.filter((one): one is string => typeof one === 'string' && ADDRESS.test(one)) : [];
  return accounts.map((one) => one.toLowerCase());
}

export function walletSigner(provider: Provider, address: string): Signer {
  return { address, signTypedData: (data) => signWith(provider, address, data) };
}

async function signWith(provider: Provider, address: string, data: TypedData): Promise<string> {
  const params = [address, walletText(data)];
  try {
    return signatureOf(await provider.request({ method: 'eth_signTypedData_v4', params }));
  } catch (error) {
    const { chainId } = data.domain;
    if (error instanceof WalletRefusal || codeOf(error) === DECLINED || await chainOf(provider) === chainId) throw refusalOf(error);
    await switchChain(provider, chainId);
    return signatureOf(await ask(provider, 'eth_signTypedData_v4', params));
  }
}

/** Wallets want the domain's type too, and numbers as text. */
function walletText({ domain, types, primaryType, message }: TypedData): string {
  return JSON.stringify({ domain, types: { EIP712Domain: DOMAIN_MEMBERS, ...types }, primaryType, message });
}

async function chainOf(provider: Provider): Promise<number | null> {
  const answer = await provider.request({ method: 'eth_chainId' }).catch(() => null);
  return typeof answer === 'string' || typeof answer === 'number' ? Number(answer) : null;
}

async function switchChain(provider: Provider, chainId: number): Promise<void> {
  const hex = `0x${chainId.toString(16)}`;
  const params = [{ chainId: hex }];
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params });
  } catch (error) {
    const chain = CHAINS[chainId];
    if (codeOf(error) !== UNKNOWN_CHAIN || chain === undefined) throw byHand(chainId, error);
    const added = { chainId: hex, chainName: chain.name, nativeCurrency: CURRENCY, rpcUrls: [chain.rpc] };
    try {
      await provider.request({ method: 'wallet_addEthereumChain', params: [added] });
      // Not every wallet switches to what it added.
      if (await chainOf(provider) !== chainId) await provider.request({ method: 'wallet_switchEthereumChain', params });
    } catch (again) {
      throw byHand(chainId, again);
    }
  }
}

function byHand(chainId: number, cause: unknown): WalletRefusal {
  const text = codeOf(cause) === DECLINED ? 'you declined to switch it' : messageOf(cause);
  return new WalletRefusal(
    `Your wallet signs only for the chain that it is on, and this venue signs for chain ${chainId} (${text}). `
    + `Add chain ${chainId} to your wallet, switch to it, and try again. Nothing is sent to that chain.`,
    { cause },
  );
}

function refusalOf(error: unknown): Error {
  if (error instanceof WalletRefusal) return error;
  return new WalletRefusal(codeOf(error) === DECLINED ? 'You declined in your wallet.' : messageOf(error), { cause: error });
}

async function ask(provider: Provider, method: string, params: readonly unknown[] = []): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The venue takes 27 and 28; hardware wallets also give 0 and 1. */
function signatureOf(answer: unknown): string {
  if (typeof answer !== 'string' || !SIGNATURE.test(answer)) throw new WalletRefusal('The wallet answered something that is no signature.');
  const last = Number.parseInt(answer.slice(-2), 16);
  return last < 27 ? `${answer.slice(0, -2)}${(last + 27).toString(16)}` : answer;
}
