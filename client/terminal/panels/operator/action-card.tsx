// One request of the operator: its fields, the question before it, and the venue's answer.

import { useSignal } from '@preact/signals';
import type { TargetedInputEvent } from 'preact';
import type { Operator } from '../../../src/main.ts';
import { Answer, Card, type Told } from '../../ui/card.tsx';
import { Button, Field } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/notices.tsx';
import { venueText } from '../../venue/signed-log.ts';
import { markets, selection } from '../../venue/store.ts';
import type { ActionField, OperatorAction, Values } from './actions.ts';

export function ActionCard({ action, operator }: { readonly action: OperatorAction; readonly operator: Operator }) {
  const typed = useSignal<Values>({});
  const told = useSignal<Told | null>(null);
  const asked = useSignal<string | null>(null);
  const isBusy = useSignal(false);
  const shown = Object.fromEntries(action.fields.map((field) => [field.name, typed.value[field.name] ?? standardOf(field)]));
  const values = Object.fromEntries(Object.entries(shown).map(([name, text]) => [name, text.trim()]));
  const isWhole = action.fields.every(({ isOptional, name }) => isOptional === true || values[name] !== '');
  const send = async (): Promise<void> => {
    asked.value = null;
    isBusy.value = true;
    try {
      const answer = await action.send(operator, values);
      told.value = { isError: false, text: answerText(answer) };
    } catch (error) {
      told.value = { isError: true, text: venueText(error) };
    }
    isBusy.value = false;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (action.question === null) void send();
    else asked.value = action.question(values);
  };
  return (
    <Card title={action.title}>
      <form class="action" onSubmit={submit}>
        <div class="fields">
          {action.fields.map((field) => (
            <ActionInput
              key={field.name} field={field} value={shown[field.name]!}
              onInput={(text) => { typed.value = { ...typed.value, [field.name]: text }; }}
            />
          ))}
        </div>
        <Button isSubmit isDisabled={!isWhole || isBusy.value}>{action.button}</Button>
      </form>
      <Answer told={told.value} />
      {asked.value !== null && (
        <Dialog title={action.title} onClose={() => { asked.value = null; }}>
          <p>{asked.value}</p>
          <div class="bar">
            <Button onClick={() => { asked.value = null; }}>Leave it</Button>
            <Button kind="danger" onClick={() => void send()}>{action.button}</Button>
          </div>
        </Dialog>
      )}
    </Card>
  );
}

type InputProps = { readonly field: ActionField; readonly value: string; readonly onInput: (text: string) => void };

function ActionInput({ field: { choices, hint, kind, label }, value, onInput }: InputProps) {
  const names = kind === 'underlying' ? [...new Set((markets.value ?? []).map(({ underlying }) => underlying))] : choices;
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(id, described) => {
        const common = { id, value, 'aria-describedby': described };
        const typed = {
          ...common, class: 'text-input', autocomplete: 'off',
          onInput: (event: TargetedInputEvent<HTMLInputElement>) => onInput(event.currentTarget.value),
        };
        if (names !== undefined && names.length > 0) {
          return (
            <select {...common} class="select" onChange={(event) => onInput(event.currentTarget.value)}>
              {names.map((name) => <option key={name}>{name}</option>)}
            </select>
          );
        }
        if (kind === 'time') return <input {...typed} type="datetime-local" />;
        return <input {...typed} type="text" inputMode={kind === 'decimal' ? 'decimal' : 'text'} spellcheck={false} />;
      }}
    </Field>
  );
}

function standardOf({ choices, kind }: ActionField): string {
  return kind === 'underlying' ? selection.value.underlying : choices?.[0] ?? '';
}

function answerText(answer: unknown): string {
  const { data = answer, message } = (answer ?? {}) as { readonly data?: unknown; readonly message?: unknown };
  return typeof message === 'string' ? message : `Done: ${JSON.stringify(data)}`;
}
