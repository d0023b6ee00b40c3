// The quoting helper's controls, and the state of each side of each chosen contract.

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { dayUtc, timeBoth } from '../../format.ts';
import { Answer, Card, type Told } from '../../ui/card.tsx';
import { Button, Field, NumberField } from '../../ui/controls.tsx';
import { useRead, useStream } from '../../venue/hooks.ts';
import { indexOf, select } from '../../venue/store.ts';
import { expiries, shownExpiry } from '../chain/expiries.ts';
import { acting } from './acting.ts';
import { chooseAround, chosen, faultOf, planOf, shape, type Kinds } from './plan.ts';
import { QuoteGrid } from './quote-grid.tsx';
import { QUOTE_SET, quoting } from './quoting.ts';
import { RestingQuotes } from './resting.ts';

const MARKS_EVERY_MS = 3_000;
const ORDERS_EVERY_MS = 10_000;
const MOST_ORDERS = 1_000;
const FIELDS = [
  { name: 'width', label: 'Width', unit: 'vol pts' }, { name: 'skew', label: 'Skew', unit: 'vol pts' },
  { name: 'size', label: 'Size', unit: '' }, { name: 'everySeconds', label: 'Look every', unit: 's' },
] as const;

export function QuotingCard({ underlying, wallet }: { readonly underlying: string; readonly wallet: string }) {
  const expiry = shownExpiry.value;
  const query = expiry === null ? null : { currency: underlying, kind: 'option', expiry };
  const summaries = useRead('/options-summary', query, { everyMs: MARKS_EVERY_MS });
  const resting = useResting(wallet);
  const told = useSignal<Told | null>(null);
  const listed = (summaries.data ?? []).map(({ instrument_name: symbol, mark_price: mark }) => (
    { symbol, mark, strike: Number(symbol.split('-')[2]) }
  ));
  const own = [...chosen.value].filter((symbol) => symbol.startsWith(`${underlying}-`));
  const isOn = quoting.state.value.kind === 'on';
  const isSound = Object.keys(faultOf(shape.value)).length === 0;
  const pull = (set: typeof QUOTE_SET | ''): void => {
    void acting(told, set === '' ? 'All your quotes are cancelled.' : 'The quotes of this page are cancelled.', () => quoting.pull(set));
  };
  return (
    <Card title={`Quotes of ${underlying}`} isWide>
      <ShapeFields />
      <div class="bar">
        {isOn
          ? <Button kind="danger" onClick={() => pull(QUOTE_SET)}>Stop and pull</Button>
          : (
            <Button
              kind="primary" isDisabled={own.length === 0 || !isSound}
              onClick={() => { told.value = null; quoting.start(underlying, () => planOf(underlying)); }}
            >
              Start quoting {own.length === 0 ? '' : `${own.length} contracts`}
            </Button>
          )}
        <Button kind="danger" onClick={() => pull('')}>Pull all quotes</Button>
        <QuotingState underlying={underlying} />
      </div>
      <Answer told={told.value} />
      <Chooser listed={listed} underlying={underlying} expiry={expiry} />
      <Refusals />
      <QuoteGrid listed={listed} resting={resting} underlying={underlying} />
    </Card>
  );
}

function useResting(wallet: string): RestingQuotes {
  const resting = useMemo(() => new RestingQuotes(), []);
  const orders = useRead('/orders', { wallet, status: 'open', limit: MOST_ORDERS }, { everyMs: ORDERS_EVERY_MS });
  useStream('quotes', {}, (message) => resting.take(message), () => resting.clear());
  useStream('order_updates', {}, (message) => { if (resting.takeOrder(message)) orders.refresh(); });
  useEffect(() => {
    if (orders.data !== null) resting.replace(orders.data.data);
  }, [orders.data]);
  return resting;
}

function ShapeFields() {
  const faults = faultOf(shape.value);
  return (
    <div class="fields">
      {FIELDS.map(({ name, label, unit }) => (
        <NumberField
          key={name} label={label} value={shape.value[name]} {...(unit !== '' && { unit })} error={faults[name] ?? null}
          onInput={(text) => { shape.value = { ...shape.value, [name]: text.trim() }; }}
        />
      ))}
      <Field label="If it would trade">
        {(id) => (
          <select
            id={id} class="select" value={shape.value.crossing}
            onChange={({ currentTarget: { value } }) => {
              shape.value = { ...shape.value, crossing: value === 'slide' ? value : 'reject' };
            }}
          >
            <option value="slide">slide behind</option>
            <option value="reject">refuse it</option>
          </select>
        )}
      </Field>
    </div>
  );
}

function QuotingState({ underlying }: { readonly underlying: string }) {
  const state = quoting.state.value;
  const sent = quoting.lastSent.value;
  const on = state.kind === 'off' ? null
    : `Quoting ${state.underlying === underlying ? '' : `${state.underlying} `}since ${timeBoth(state.since)}.`;
  const counts = Object.entries(sent?.counts ?? {}).map(([name, count]) => `${count} ${name === 'rejected' ? 'refused' : name}`).join(', ');
  const last = sent === null ? '' : ` Last message ${timeBoth(sent.timeMs)}: ${counts}.${sent.isLate ? ' The venue is busy.' : ''}`;
  const off = state.kind === 'off' ? state.why ?? 'Off.' : '';
  return <span class={state.kind === 'off' && state.isFault ? 'quoting bad' : 'quoting'} role="status">{on ?? off}{last}</span>;
}

type ChooserProps = {
  readonly listed: readonly { readonly symbol: string; readonly strike: number }[]; readonly underlying: string;
  readonly expiry: number | null;
};

function Chooser({ listed, underlying, expiry }: ChooserProps) {
  const count = useSignal('10');
  const kinds = useSignal<Kinds>('both');
  const isNumber = /^[1-9][0-9]?$/.test(count.value);
  return (
    <form
      class="bar chooser"
      onSubmit={(event) => {
        event.preventDefault();
        if (isNumber) chooseAround(listed, Number(indexOf(underlying).peek()?.price ?? 0), Number(count.value), kinds.value);
      }}
    >
      <Field label="Expiry">
        {(id) => (
          <select id={id} class="select" value={expiry ?? ''} onChange={(event) => select({ expiry: Number(event.currentTarget.value) })}>
            {expiries.value.map((one) => <option key={one} value={one}>{dayUtc(one * 1_000)}</option>)}
          </select>
        )}
      </Field>
      <NumberField
        label="Strikes around the spot" value={count.value} error={isNumber ? null : 'From 1 to 99'}
        onInput={(text) => { count.value = text.trim(); }}
      />
      <Field label="Of">
        {(id) => (
          <select id={id} class="select" value={kinds.value} onChange={(event) => { kinds.value = event.currentTarget.value as Kinds; }}>
            <option value="both">calls and puts</option><option value="calls">calls</option><option value="puts">puts</option>
          </select>
        )}
      </Field>
      <Button isSubmit isDisabled={!isNumber || listed.length === 0}>Choose them</Button>
      <Button isDisabled={chosen.value.size === 0} onClick={() => { chosen.value = new Set(); }}>Choose none</Button>
    </form>
  );
}

/** Each text once. */
function Refusals() {
  const texts = useComputed(() => {
    const counts = new Map<string, number>();
    for (const { ask, bid } of quoting.answers.value.values()) {
      for (const side of [bid, ask]) {
        if (side?.status === 'REJECTED') counts.set(side.reason ?? '', (counts.get(side.reason ?? '') ?? 0) + 1);
      }
    }
    return [...counts];
  });
  if (texts.value.length === 0) return null;
  return <ul class="lines">{texts.value.map(([text, count]) => <li key={text}>{count} refused: {text}</li>)}</ul>;
}
