// The ticket's fields. Each writes what was typed into the one signal; nothing is worked out here.

import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Side, Tif } from '../../../src/main.ts';
import { percent, rounded, timeBoth } from '../../format.ts';
import { Button, Field, NumberField } from '../../ui/controls.tsx';
import { remembered } from '../../ui/remembered.ts';
import { nextPrice, nextSize, type Direction } from '../../whatif/steps.ts';
import type { WhatIf } from '../../whatif/what-if.ts';
import { canOpen, isPerp, problemsOf, withKind, withSide, type Driver, type Kind, type PricedFields, type TicketFields } from './fields.ts';

type Inputs = {
  readonly fields: Signal<TicketFields>; readonly priced: PricedFields;
  readonly whatIf: WhatIf | null;
};

export function KindAndSide({ fields }: Pick<Inputs, 'fields'>) {
  const { kind, side } = fields.value;
  const kinds: readonly (readonly [Kind, string, string])[] = [
    ['limit', 'Limit', 'An order at a price or better'], ['stop', 'Stop', 'An order that waits until a value passes its trigger'],
    ['pair', 'Stop + target', 'Two orders to close a position: what one fills is taken off the other'],
    ['entry', 'Bracket', 'An order to open a position, with its stop and its target'],
  ];
  const sides: readonly Side[] = ['Buy', 'Sell'];
  return (
    <>
      <div class="switch kinds" role="group" aria-label="Kind of order">
        {kinds.map(([id, title, what]) => (
          <Button key={id} isPressed={kind === id} title={what} onClick={() => { fields.value = withKind(fields.value, id); }}>
          {title}
        </Button>
        ))}
      </div>
      <div class="switch sides" role="group" aria-label="Side">
        {sides.map((one) => (
          <Button
            key={one} kind={one === 'Buy' ? 'buy' : 'sell'} isPressed={side === one} title={`Key ${one.charAt(0).toLowerCase()}`}
            onClick={() => { fields.value = withSide(fields.value, one); }}
          >{one}</Button>
        ))}
      </div>
    </>
  );
}

/** One is typed, the others follow. */
export function PriceFields({ fields, priced, whatIf }: Inputs) {
  const { driver, kind, symbol, typed } = fields.value;
  const { price, size } = priced;
  const problem = problemsOf(priced);
  const isSound = price !== '' && problem.price === null;
  const type = (by: Driver) => (text: string): void => { fields.value = { ...fields.value, driver: by, typed: text }; };
  const volatility = isSound ? whatIf?.volatilityAt(symbol, price) ?? null : null;
  const premium = isSound && size !== '' && problem.size === null ? whatIf?.premiumOf(price, size) ?? '' : '';
  const shown = (by: Driver, derived: string): string => (driver === by ? typed : derived);
  const step = (direction: Direction): void => type('price')(nextPrice(price, direction));
  return (
    <div class="three">
      <NumberField
        label={canOpen(kind) ? 'Price, USD' : 'Worst price, USD'} value={shown('price', price)} onInput={type('price')} onStep={step}
        error={problem.price}
      />
      {!isPerp(symbol) && (
        <NumberField
          label="Volatility, %" value={shown('volatility', volatility === null ? '' : percent(rounded(volatility, 6)))}
          onInput={type('volatility')} isDisabled={whatIf === null}
        />
      )}
      <NumberField
        label={isPerp(symbol) ? 'Value, USD' : 'Premium, USD'} value={shown('premium', premium)} onInput={type('premium')}
        isDisabled={whatIf === null}
      />
    </div>
  );
}

const STEPS = ['0.001', '0.01', '0.1', '1', '10'] as const;
type Step = (typeof STEPS)[number];
const sizeStep = remembered<Step>('ticket.step', '0.1', (value): value is Step => STEPS.includes(value as Step));

export function SizeFields({ fields, priced }: Omit<Inputs, 'whatIf'>) {
  const { kind, post, size, tif } = fields.value;
  const set = (change: Partial<TicketFields>): void => { fields.value = { ...fields.value, ...change }; };
  const step = (direction: Direction): void => set({ size: nextSize(size, sizeStep.value, direction) });
  return (
    <div class="three sizes">
      <div class="stepped">
        <Button label={`Smaller by ${sizeStep.value}`} onClick={() => step(-1)}>−</Button>
        <NumberField
          label="Size" value={size} onInput={(text) => set({ size: text })} onStep={step} error={problemsOf(priced).size}
        />
        <Button label={`Larger by ${sizeStep.value}`} onClick={() => step(1)}>+</Button>
      </div>
      {kind !== 'pair' && (
        <Choice<Tif>
          label="Time in force" value={tif} onChoose={(one) => set({ tif: one })}
          options={[['gtc', 'Till cancelled'], ['ioc', 'At once or end'], ['fok', 'All or none']]}
        />
      )}
      {canOpen(kind) && (
        <Choice<TicketFields['post']>
          label="Post-only" value={post} onChoose={(one) => set({ post: one })}
          options={[['', 'No'], ['reject', 'Or refuse'], ['slide', 'Or slide']]}
        />
      )}
    </div>
  );
}

export function TriggerFields({ fields, priced }: Omit<Inputs, 'whatIf'>) {
  const { by, direction, kind } = fields.value;
  const set = (change: Partial<TicketFields>): void => { fields.value = { ...fields.value, ...change }; };
  const problem = problemsOf(priced);
  const priceField = (name: 'trigger' | 'target' | 'worst', label: string): ComponentChildren => (
    <NumberField
      label={label} value={fields.value[name]} onInput={(text) => set({ [name]: text })} error={problem[name]}
      onStep={(way) => set({ [name]: nextPrice(fields.value[name], way) })}
    />
  );
  return (
    <div class="three">
      <Choice<TicketFields['by']>
        label="Fires by" value={by} onChoose={(one) => set({ by: one })}
        options={[['theo', 'Theo'], ['index', 'Index'], ['mark', 'Mark']]}
      />
      {kind === 'stop' && (
        <Choice<TicketFields['direction']>
          label="When it is" value={direction} onChoose={(one) => set({ direction: one })}
          options={[['below', 'At or below'], ['above', 'At or above']]}
        />
      )}
      {priceField('trigger', kind === 'stop' ? 'Trigger, USD' : `Stop, ${direction}`)}
      {kind !== 'stop' && priceField('target', 'Target, USD')}
      {kind === 'entry' && priceField('worst', 'Worst exit')}
    </div>
  );
}

export function MoreFields({ fields }: Pick<Inputs, 'fields'>) {
  const { clientId, expiresAt, hasProtection, kind, stp } = fields.value;
  const set = (change: Partial<TicketFields>): void => { fields.value = { ...fields.value, ...change }; };
  const until = expiresAt === null ? 'Local time; empty: until it is cancelled' : timeBoth(expiresAt);
  return (
    <>
      <Choice
        label="Size goes by" value={sizeStep.value} options={STEPS.map((one) => [one, `${one} contracts`])}
        onChoose={(one) => { sizeStep.value = one; }}
      />
      <Field label="Good till" hint={until}>
        {(id, described) => (
          <input
            id={id} aria-describedby={described} type="datetime-local" step="1" value={expiresAt === null ? '' : localText(expiresAt)}
            onInput={({ currentTarget: { value } }) => set({ expiresAt: value === '' ? null : new Date(value).getTime() })}
          />
        )}
      </Field>
      <Choice<TicketFields['stp']>
        label="Meets an own order" value={stp} onChoose={(one) => set({ stp: one })}
        options={[['', 'As usual: the resting one ends'], ['cancel_maker', 'The resting one ends'], ['cancel_taker', 'This one ends'],
          ['cancel_both', 'Both end']]}
      />
      {kind !== 'pair' && (
        <Field label="Client id">
          {(id) => (
            <input
              id={id} type="text" autocomplete="off" spellcheck={false} value={clientId}
              onInput={({ currentTarget: { value } }) => set({ clientId: value })}
            />
          )}
        </Field>
      )}
      <Check label="Counts for market-maker protection" isOn={hasProtection} onChange={(isOn) => set({ hasProtection: isOn })} />
    </>
  );
}

type CheckProps = { readonly label: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void };

export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} /> {label}
    </label>
  );
}

type ChoiceProps<Id extends string> = {
  readonly label: string; readonly value: Id; readonly options: readonly (readonly [id: Id, title: string])[];
  readonly onChoose: (id: Id) => void;
};

function Choice<Id extends string>({ label, value, options, onChoose }: ChoiceProps<Id>): ComponentChildren {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as Id)}>
        {options.map(([one, title]) => <option key={one} value={one} selected={one === value}>{title}</option>)}
      </select>
    </div>
  );
}

function localText(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
