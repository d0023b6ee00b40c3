// The page's frame: header, banners, panels, toasts, global keys, and shared market data.

import { signal } from '@preact/signals';
import { Banners } from './banners.tsx';
import { Find } from './find.tsx';
import { Header } from './header.tsx';
import { Help } from './help.tsx';
import { useKeys, type KeyBinding } from './keyboard.ts';
import { Layout } from './layout.tsx';
import { Confirmation } from './ui/confirm.tsx';
import { Toasts } from './ui/notices.tsx';
import { AccountData } from './venue/account-data.ts';
import { useMarketData } from './venue/market-data.ts';

const openDialog = signal<'find' | 'help' | null>(null);
const close = (): void => { openDialog.value = null; };

const KEYS: readonly KeyBinding[] = [
  { key: '/', what: 'Find a contract', run: () => { openDialog.value = 'find'; } },
  { key: '?', what: 'This help', run: () => { openDialog.value = 'help'; } },
];

export function App() {
  useMarketData();
  useKeys(KEYS);
  const open = openDialog.value;
  return (
    <>
      <Header onFind={KEYS[0]!.run!} onHelp={KEYS[1]!.run!} /><Banners /><Layout /><Toasts /><Confirmation /><AccountData />
      {open === 'find' && <Find onClose={close} />}
      {open === 'help' && <Help onClose={close} />}
    </>
  );
}
