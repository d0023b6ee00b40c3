// Finds a browser's wallets (EIP-6963) and asks them (EIP-1193). Names and icons come from extensions, so they are shown as text, and
// images only without a request.

import { signal, type ReadonlySignal } from '@preact/signals';

export type Provider = {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (detail: unknown) => void): unknown;
  removeListener?(event: string, listener: (detail: unknown) => void): unknown;
};
export type BrowserWallet = { readonly id: string; readonly name: string; readonly icon: string | null; readonly provider: Provider };

type Announcements = Pick<EventTarget, 'addEventListener' | 'removeEventListener' | 'dispatchEvent'>;

/** An extension could announce without end. */
const MOST_WALLETS = 32;
const NAME_CHARS = 40;
const ICON_CHARS = 100_000;

/** Error codes of EIP-1193 and of wallet_switchEthereumChain. */
export const DECLINED = 4001;
export const UNKNOWN_CHAIN = 4902;

/** Later announcements are added too. */
export function discoverWallets(target: Announcements): { readonly wallets: ReadonlySignal<readonly BrowserWallet[]>; stop(): void } {
  const wallets = signal<readonly BrowserWallet[]>([]);
  const hear = (event: Event): void => {
    const wallet = walletOf((event as Event & { readonly detail?: unknown }).detail);
    const known = wallets.value;
    if (wallet === null || known.length >= MOST_WALLETS || known.some(({ id }) => id === wallet.id)) return;
    wallets.value = [...known, wallet];
  };
  target.addEventListener('eip6963:announceProvider', hear);
  target.dispatchEvent(new Event('eip6963:requestProvider'));
  return { wallets, stop: () => target.removeEventListener('eip6963:announceProvider', hear) };
}

function walletOf(detail: unknown): BrowserWallet | null {
  const { info, provider } = (detail ?? {}) as { readonly info?: Record<string, unknown>; readonly provider?: Provider };
  if (typeof provider?.request !== 'function' || typeof info?.['uuid'] !== 'string' || typeof info['name'] !== 'string') return null;
  const { icon } = info;
  const isShown = typeof icon === 'string' && icon.startsWith('data:image/') && icon.length <= ICON_CHARS;
  return { id: info['uuid'], name: info['name'].slice(0, NAME_CHARS), icon: isShown ? icon : null, provider };
}

export function codeOf(error: unknown): number | null {
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: { readonly originalError?: unknown } };
  // Some mobile wallets wrap the code.
  const wrapped = (data?.originalError as { readonly code?: unknown } | undefined)?.code;
  return typeof wrapped === 'number' ? wrapped : typeof code === 'number' ? code : null;
}

export function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'The wallet gave no reason.';
}
