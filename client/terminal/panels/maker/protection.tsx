// Market-maker protection of one underlying: limits, their use, the freeze, and the signed requests.

import { useSignal } from '@preact/signals';
import type { MmpState } from '../../../src/main.ts';
import { ABSENT, momentBoth, price, timeLeft } from '../../format.ts';
import { Answer, Card, type Told } from '../../ui/card.tsx';
import { Button, NumberField } from '../../ui/controls.tsx';
import { venueTime } from '../../venue/clock.ts';
import { connection } from '../../venue/connection.ts';
import { useRead, useStream } from '../../venue/hooks.ts';
import { acting } from './acting.ts';

const EVERY_MS = 2_000;
const MEASURES = [
  { limit: 'qty_limit', used: 'qty_used', title: 'Contracts' },
  { limit: 'delta_limit', used: 'delta_used', title: 'Delta' },
  { limit: 'vega_limit', used: 'vega_used', title: 'Vega' },
] as const;
const FIELDS = [
  { name: 'interval_ms', label: 'Window', unit: 'ms', standard: '5000' },
  { name: 'frozen_time_ms', label: 'Freeze', unit: 'ms', standard: '30000', hint: '0: until a reset' },
  { name: 'qty_limit', label: 'Contracts', unit: '', standard: '10' },
  { name: 'delta_limit', label: 'Delta', unit: '', standard: '' },
  { name: 'vega_limit', label: 'Vega', unit: '', standard: '' },
] as const;
type Name = (typeof FIELDS)[number]['name'];

export function Protection({ underlying, wallet }: { readonly underlying: string; readonly wallet: string }) {
  const read = useRead('/mmp/config', { wallet, currency: underlying }, { everyMs: EVERY_MS });
  useStream('fills', {}, () => read.refresh());
  const told = useSignal<Told | null>(null);
  const typed = useSignal<Partial<Record<Name, string>>>({});
  const state = read.data?.data.find((one) => one.enabled) ?? null;
  const valueOf = (name: Name): string => {
    const own = typed.value[name];
    return own ?? (state === null ? FIELDS.find((field) => field.name === name)!.standard : String(state[name] ?? ''));
  };
  const act = (done: string, send: () => Promise<unknown>): void => void acting(told, done, send).then(read.refresh);
  const set = (): void => act(`Protection of ${underlying} is set.`, () => {
    const limits = MEASURES.map(({ limit }) => [limit, valueOf(limit)] as const).filter(([, text]) => text !== '');
    return connection.client.peek()!.setMmp({
      currency: underlying, interval_ms: Number(valueOf('interval_ms')), frozen_time_ms: Number(valueOf('frozen_time_ms')),
      ...Object.fromEntries(limits),
    });
  });
  return (
    <Card title={`Protection of ${underlying}`}>
      <Freeze state={state} problem={read.error?.message ?? null} />
      {MEASURES.map(({ limit, title, used }) => (
        <Meter key={limit} title={title} used={state?.[used] ?? null} limit={state?.[limit] ?? null} />
      ))}
      <form class="action" onSubmit={(event) => { event.preventDefault(); set(); }}>
        <div class="fields">
          {FIELDS.map(({ name, label, unit, ...rest }) => (
            <NumberField
              key={name} label={label} value={valueOf(name)} {...(unit !== '' && { unit })} {...('hint' in rest && { hint: rest.hint })}
              onInput={(text) => { typed.value = { ...typed.value, [name]: text.trim() }; }}
            />
          ))}
        </div>
        <span class="switch">
          <Button kind="primary" isSubmit>Set protection</Button>
          <Button
            isDisabled={state === null}
            onClick={() => act('The counters begin again, and nothing is frozen.', () => connection.client.peek()!.resetMmp(underlying))}
          >
            {state?.is_frozen === true ? 'Unfreeze' : 'Reset counters'}
          </Button>
          <Button
            kind="danger" isDisabled={state === null}
            onClick={() => act('Protection is off.', () => connection.client.peek()!.deleteMmp(underlying))}
          >
            Delete
          </Button>
        </span>
      </form>
      <Answer told={told.value} />
    </Card>
  );
}

function Freeze({ state, problem }: { readonly state: MmpState | null; readonly problem: string | null }) {
  if (state === null) return <p class="hint">{problem ?? 'None yet. It freezes your quotes when fills exceed a limit within a window.'}</p>;
  const { frozen_until: until, is_frozen: isFrozen, last_triggered_ms: last } = state;
  if (!isFrozen) return <p class="hint">{last === null ? 'It has never triggered.' : `Last triggered ${momentBoth(last)}.`}</p>;
  return (
    <p class="frozen" role="status">
      <strong>Frozen</strong> {until === null ? 'until you unfreeze it.' : `for ${timeLeft(until - venueTime.value)} more.`}
    </p>
  );
}

type MeterProps = { readonly title: string; readonly used: string | null; readonly limit: string | null };

function Meter({ title, used, limit }: MeterProps) {
  const part = used === null || limit === null ? 0 : Math.min(1, Math.abs(Number(used) / Number(limit)));
  return (
    <div class="meter">
      <span>{title}</span>
      <span class="figure">{limit === null ? 'no limit' : `${used === null ? ABSENT : price(used)} of ${price(limit)}`}</span>
      <div
        class="track" role="meter" aria-label={`${title} used`} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * part)}
        aria-valuetext={limit === null ? 'no limit' : `${used ?? 'unknown'} of ${limit}`}
      >
        <div class={part >= 0.8 ? 'fill near' : 'fill'} style={{ width: `${100 * part}%` }} />
      </div>
    </div>
  );
}
