// Buttons, fields, number fields, tabs. Each has an accessible name; a button submits only if it says so.

import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useId, useRef } from 'preact/hooks';

type ButtonProps = {
  readonly onClick?: () => void;
  readonly children: ComponentChildren;
  readonly label?: string;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'buy' | 'sell';
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly isOpen?: boolean;
  readonly title?: string;
  readonly isSubmit?: boolean;
  readonly isInCell?: boolean;
  readonly isFirst?: boolean;
};

export function Button({ onClick, children, label, kind = 'plain', title, ...is }: ButtonProps) {
  const { isDisabled, isPressed, isOpen, isSubmit, isInCell, isFirst } = is;
  return (
    <button
      type={isSubmit === true ? 'submit' : 'button'} class={`button ${kind}`} aria-label={label} aria-pressed={isPressed}
      aria-haspopup={isOpen === undefined ? undefined : 'dialog'} aria-expanded={isOpen}
      disabled={isDisabled} title={title} tabIndex={isInCell === true ? -1 : undefined} autofocus={isFirst} onClick={onClick}
    >
      {children}
    </button>
  );
}

type FieldProps = {
  readonly label: string; readonly hint?: string; readonly error?: string | null;
  readonly children: (id: string, described: string | undefined) => ComponentChildren;
};

/** `children` gets the id for its control. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  const described = note === undefined ? undefined : `${id}-note`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, described)}
      {note !== undefined && <p id={described} class={error === null || error === undefined ? 'note' : 'note bad'}>{note}</p>}
    </div>
  );
}

type NumberFieldProps = {
  readonly label: string; readonly value: string; readonly onInput: (text: string) => void;
  readonly unit?: string; readonly hint?: string; readonly error?: string | null; readonly isDisabled?: boolean;
  /** The next value up or down, as text. */
  readonly onStep?: (direction: 1 | -1) => void;
};

export function NumberField({ label, value, onInput, unit, hint, error, isDisabled, onStep }: NumberFieldProps) {
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (direction === 0 || onStep === undefined) return;
    event.preventDefault();
    onStep(direction);
  };
  return (
    <Field label={label} {...(hint !== undefined && { hint })} {...(error !== undefined && { error })}>
      {(id, described) => (
        <span class="number">
          <input
            id={id} type="text" inputMode="decimal" autocomplete="off" spellcheck={false} value={value} disabled={isDisabled}
            aria-describedby={described} aria-invalid={error === null || error === undefined ? undefined : true}
            onInput={(event) => onInput(event.currentTarget.value)} onKeyDown={onKeyDown}
          />
          {unit !== undefined && <span class="unit">{unit}</span>}
        </span>
      )}
    </Field>
  );
}

type Tab<Id extends string> = { readonly id: Id; readonly title: string; readonly note?: string };
type TabsProps<Id extends string> = {
  readonly label: string; readonly tabs: readonly Tab<Id>[]; readonly chosen: Id; readonly onChoose: (id: Id) => void;
  readonly controls?: string;
};

/** Arrows, Home and End move; the chosen one alone is in the order of Tab. */
export function Tabs<Id extends string>({ label, tabs, chosen, onChoose, controls }: TabsProps<Id>) {
  const list = useRef<HTMLDivElement>(null);
  const go = (at: number): void => {
    const tab = tabs[(at + tabs.length) % tabs.length];
    if (tab === undefined) return;
    onChoose(tab.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(tab)]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === chosen);
    const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {tabs.map(({ id, title, note }) => (
        <button
          key={id} type="button" role="tab" aria-selected={id === chosen} tabIndex={id === chosen ? 0 : -1} aria-controls={controls}
          onClick={() => onChoose(id)}
        >
          {title}{note !== undefined && <small>{note}</small>}
        </button>
      ))}
    </div>
  );
}
