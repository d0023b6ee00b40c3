// What the order would do to the account. The core computes it in the page while the user types; when typing pauses, the venue confirms it
// once.

import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { StrikebookError, type RiskInputs } from '../../../src/main.ts';
import { connection } from '../../venue/connection.ts';
import { useRead } from '../../venue/hooks.ts';
import type { WhatIf, WhatIfAnswer, WhatIfOrder } from '../../whatif/what-if.ts';

type Core = { readonly WhatIf: typeof WhatIf };
type Margins = { readonly initial: string; readonly maintenance: string };
/** moved: marks changed in between, so that nothing can be compared. */
export type Confirmation =
  | { readonly kind: 'none' | 'asking' | 'limited' }
  | { readonly kind: 'same' | 'moved' | 'different'; readonly at: number; readonly margins: Margins }
  | { readonly kind: 'failed'; readonly text: string };

export const NOBODY = `0x${'0'.repeat(40)}`;
const INPUTS_EVERY_MS = 4_000;
const PAUSE_MS = 700;
const core = signal<Core | null>(null);
let isAsked = false;

function loadCore(): void {
  if (isAsked) return;
  isAsked = true;
  import('../../whatif/what-if.ts').then((loaded) => { core.value = loaded; }, () => { isAsked = false; });
}

/** Made anew as marks and positions move; null until then. */
export function useWhatIf(wallet: string, symbol: string) {
  useEffect(loadCore, []);
  const { data, error, refresh } = useRead('/risk/inputs', { wallet, symbols: symbol }, { everyMs: INPUTS_EVERY_MS });
  const loaded = core.value;
  const whatIf = useMemo(() => (data === null || loaded === null ? null : new loaded.WhatIf(data.data)), [data, loaded]);
  return { whatIf, inputs: data?.data ?? null, error, refresh };
}

type Judged = { readonly answer: WhatIfAnswer | null; readonly problem: string | null };

export function useAnswer(whatIf: WhatIf | null, orders: readonly WhatIfOrder[]): Judged {
  return useMemo(() => {
    if (whatIf === null || orders.length === 0) return { answer: null, problem: null };
    try {
      return { answer: whatIf.orders(orders), problem: null };
    } catch (error) {
      return { answer: null, problem: (error as Error).message };
    }
  }, [whatIf, JSON.stringify(orders)]);
}

export function useConfirmation(wallet: string, orders: readonly WhatIfOrder[]): Confirmation {
  const key = orders.length === 0 ? '' : JSON.stringify([wallet, orders]);
  const [state, setState] = useState<{ readonly key: string; readonly is: Confirmation }>({ key: '', is: { kind: 'none' } });
  useEffect(() => {
    if (key === '') return undefined;
    const ending = new AbortController();
    const set = (is: Confirmation): void => { if (!ending.signal.aborted) setState({ key, is }); };
    const timer = setTimeout(() => {
      set({ kind: 'asking' });
      confirm(wallet, orders, ending.signal).then(set, (error: unknown) => set(failureOf(error)));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [key]);
  return state.key === key ? state.is : { kind: 'none' };
}

async function confirm(wallet: string, orders: readonly WhatIfOrder[], ending: AbortSignal): Promise<Confirmation> {
  const [client, loaded] = [connection.client.peek(), core.peek()];
  if (client === null || loaded === null) return { kind: 'none' };
  const symbols = [...new Set(orders.map(({ symbol }) => symbol))].join();
  const call = { signal: ending, retries: 0 };
  const [{ data: { filled } }, { data: inputs }] = await Promise.all([
    client.simulate('/risk/simulate/orders', { wallet, orders }, call), client.get('/risk/inputs', { wallet, symbols }, call),
  ]);
  const margins = { initial: filled.total_initial_margin, maintenance: filled.position_maintenance_margin };
  const at = connection.now();
  if (!isSameMoment(filled.underlyings, inputs)) return { kind: 'moved', at, margins };
  const { filled: own } = new loaded.WhatIf(inputs).orders(orders);
  const isSame = own.initial_margin === margins.initial && own.maintenance_margin === margins.maintenance;
  return { kind: isSame ? 'same' : 'different', at, margins };
}

function isSameMoment(grids: readonly { readonly underlying: string; readonly vintage: number }[], inputs: RiskInputs): boolean {
  return grids.every(({ underlying, vintage }) => (
    inputs.underlyings.some((one) => one.underlying === underlying && one.vintage === vintage)
  ));
}

function failureOf(error: unknown): Confirmation {
  if (error instanceof StrikebookError && error.code === 'rate_limit_exceeded') return { kind: 'limited' };
  return { kind: 'failed', text: (error as Error).message };
}
