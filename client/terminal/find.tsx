// The dialog that finds a contract by parts of its name in any order (`btc 100000 c`, `dec put`, `perp`). The list is read when it opens.

import { useSignal } from '@preact/signals';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { PANELS } from './panels.ts';
import { Dialog } from './ui/notices.tsx';
import { contractsOf, matching, type Contract } from './venue/contracts.ts';
import { useRead } from './venue/hooks.ts';
import { select, showArea } from './venue/store.ts';

const SHOWN = 50;

export function Find({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useRead('/markets', { include_instruments: true });
  const contracts = useMemo(() => contractsOf(data?.data ?? []), [data]);
  const text = useSignal('');
  const at = useSignal(0);
  const found = useMemo(() => matching(contracts, text.value, SHOWN), [contracts, text.value]);
  const chosen = Math.min(at.value, found.length - 1);
  const list = useId();
  const options = useRef<HTMLUListElement>(null);
  useEffect(() => { options.current?.children[chosen]?.scrollIntoView({ block: 'nearest' }); }, [chosen, found]);
  const choose = ({ underlying, expiry, symbol }: Contract): void => {
    select({ underlying, expiry, contract: symbol });
    showArea(PANELS.some(({ area }) => area === 'contract') ? 'contract' : 'main');
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step !== undefined) at.value = Math.max(0, Math.min(found.length - 1, chosen + step));
    else if (event.key !== 'Enter') return;
    else if (found[chosen] !== undefined) choose(found[chosen]);
    event.preventDefault();
  };
  const message = data === null ? error?.message ?? 'Asking the venue …'
    : found.length === 0 ? 'No contract has these parts in its name. Type fewer.'
      : `${found.length === SHOWN ? `The first ${SHOWN}` : found.length} of ${contracts.length} contracts`;
  return (
    <Dialog title="Find a contract" onClose={onClose}>
      <input
        class="find" type="text" role="combobox" aria-label="Parts of its name" aria-expanded="true" aria-controls={list} autofocus
        aria-autocomplete="list" aria-activedescendant={found.length === 0 ? undefined : `${list}-${chosen}`} autocomplete="off"
        spellcheck={false} placeholder="btc 100000 c" value={text.value} onKeyDown={onKeyDown}
        onInput={(event) => { text.value = event.currentTarget.value; at.value = 0; }}
      />
      <ul class="found" role="listbox" id={list} ref={options} aria-label="Contracts">
        {found.map((contract, number) => (
          <li
            key={contract.symbol} id={`${list}-${number}`} role="option" aria-selected={number === chosen} onClick={() => choose(contract)}
          >
            <span class="figure">{contract.symbol}</span> <span class="soft">{contract.what}</span>
          </li>
        ))}
      </ul>
      <p class="note soft" role="status">{message}</p>
    </Dialog>
  );
}
