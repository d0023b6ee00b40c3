// A browser's wallet for tests: announces itself as EIP-6963 says, answers as EIP-1193 says, and refuses typed data of another chain with
// the text of a common wallet. Runs in Node and in a page.

import { privateKeySigner, type TypedData } from '../../../../client/src/main.ts';
import type { Provider } from '../../../../client/terminal/keys/provider.ts';

type Refusal = { readonly code: number; readonly message: string };
export type StandInOptions = {
  readonly key: string; readonly chain?: number; readonly known?: readonly number[]; readonly name?: string;
  /** Answers that replace the wallet's own, by method. */
  readonly refuse?: Readonly<Record<string, Refusal>>;
  /** What becomes of the last byte of a signature. */
  readonly lastByte?: (v: number) => number;
};

export class StandInWallet implements Provider {
  readonly address: string;
  readonly calls: string[] = [];
  chain: number;
  readonly refuse: Record<string, Refusal>;
  readonly #options: StandInOptions;
  readonly #known: Set<number>;
  readonly #listeners = new Map<string, Set<(detail: unknown) => void>>();

  constructor(options: StandInOptions) {
    this.#options = options;
    this.address = privateKeySigner(options.key).address;
    this.chain = options.chain ?? 1;
    this.#known = new Set([this.chain, ...options.known ?? []]);
    this.refuse = { ...options.refuse };
  }

  /** Announces itself now, and to whoever asks later. */
  announce(target: EventTarget): void {
    const name = this.#options.name ?? 'Stand-in';
    const info = { uuid: `stand-in-${this.address}`, name, icon: 'data:image/svg+xml,<svg/>', rdns: 'test' };
    const tell = (): void => {
      target.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider: this }) }));
    };
    target.addEventListener('eip6963:requestProvider', tell);
    tell();
  }

  async request({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown> {
    this.calls.push(method);
    const refusal = this.refuse[method];
    if (refusal !== undefined) throw failure(refusal);
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts': return [this.address.toUpperCase().replace('0X', '0x')];
      case 'eth_chainId': return `0x${this.chain.toString(16)}`;
      case 'wallet_switchEthereumChain': return this.#switch(Number((params[0] as { chainId: string }).chainId));
      case 'wallet_addEthereumChain': return this.#add(params[0] as { chainId: string; rpcUrls: readonly string[] });
      case 'eth_signTypedData_v4': return this.#sign(String(params[0]), String(params[1]));
      default: throw failure({ code: 4200, message: `The method ${method} is not supported` });
    }
  }

  on(event: string, listener: (detail: unknown) => void): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }

  removeListener(event: string, listener: (detail: unknown) => void): void {
    this.#listeners.get(event)?.delete(listener);
  }

  emit(event: string, detail: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(detail);
  }

  #switch(chain: number): null {
    if (!this.#known.has(chain)) throw failure({ code: 4902, message: `Unrecognized chain ID "0x${chain.toString(16)}"` });
    this.chain = chain;
    return null;
  }

  #add({ chainId, rpcUrls }: { readonly chainId: string; readonly rpcUrls: readonly string[] }): null {
    if (!rpcUrls.every((url) => url.startsWith('https://'))) throw failure({ code: -32602, message: 'Expected an HTTPS address' });
    this.#known.add(Number(chainId));
    return null;
  }

  async #sign(address: string, text: string): Promise<string> {
    const { types: { EIP712Domain: _, ...types }, ...rest } = JSON.parse(text) as TypedData & { readonly types: TypedData['types'] };
    if (address.toLowerCase() !== this.address) throw failure({ code: 4100, message: 'The account has not been authorized' });
    if (rest.domain.chainId !== this.chain) {
      throw failure({ code: -32602, message: `Provided chainId "${rest.domain.chainId}" must match the active chainId "${this.chain}"` });
    }
    const signature = await privateKeySigner(this.#options.key).signTypedData({ ...rest, types });
    const last = Number.parseInt(signature.slice(-2), 16);
    return signature.slice(0, -2) + (this.#options.lastByte?.(last) ?? last).toString(16).padStart(2, '0');
  }
}

function failure({ code, message }: Refusal): Error {
  return Object.assign(new Error(message), { code });
}
