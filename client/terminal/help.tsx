// The dialog of all keys that do something now, from the table that panels add to.

import { keyBindings, type KeyBinding } from './keyboard.ts';
import { Dialog } from './ui/notices.tsx';

const OF_CONTROLS: readonly KeyBinding[] = [
  { key: 'Tab', what: 'To the next control, list or tab row' },
  { key: 'Arrows', what: 'In the chain and in lists: to the next cell. On the edge of a panel: its size' },
  { key: 'Home, End', what: 'To the first or last cell of a row' },
  { key: 'Page Up, Page Down', what: 'Ten rows up or down' },
  { key: 'Enter', what: 'On a bid or an ask: fill the ticket with it' },
  { key: 'Esc', what: 'Out of a field, a dialog or a menu' },
];
const SHOWN: Readonly<Record<string, string>> = { 'Escape': 'Esc', 'Shift+Escape': 'Shift + Esc', ' ': 'Space' };

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="facts key-table">
        {[...keyBindings.value, ...OF_CONTROLS].map(({ key, what }) => (
          <><dt><kbd>{SHOWN[key] ?? key}</kbd></dt><dd>{what}</dd></>
        ))}
      </dl>
      <p class="note soft">Keys do nothing while you type in a field.</p>
    </Dialog>
  );
}
