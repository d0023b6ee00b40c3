// Questions before actions. Whether one is asked is the user's choice, remembered by the browser.

import { signal } from '@preact/signals';
import { Button } from './controls.tsx';
import { Dialog } from './notices.tsx';
import { remembered } from './remembered.ts';

type ActionId = keyof typeof ACTIONS;
type Question = {
  readonly action: ActionId; readonly title: string; readonly text: string;
  readonly verb: string; readonly run: () => void;
};

const ACTIONS = {
  cancelAll: { title: 'Cancel all orders', isAsked: true },
  cancel: { title: 'Cancel an order', isAsked: false },
  amend: { title: 'Amend an order', isAsked: false },
} as const;

const choices = remembered<Readonly<Record<string, boolean>>>('confirm', {}, isFlags);
const question = signal<Question | null>(null);
const isChoosing = signal(false);

/** Acts after the user's yes, or at once if the user has switched the question off. */
export function confirmFirst(asked: Question): void {
  if (question.value !== null) return;
  if (isAsked(asked.action)) question.value = asked;
  else asked.run();
}

export function chooseConfirmations(): void {
  isChoosing.value = true;
}

export function Confirmation() {
  const asked = question.value;
  if (asked === null) return isChoosing.value ? <Choices /> : null;
  const close = (): void => { question.value = null; };
  return (
    <Dialog title={asked.title} onClose={close}>
      <p>{asked.text}</p>
      <Choice action={asked.action} label="Ask before this each time" />
      <div class="deeds">
        <Button kind="danger" isFirst onClick={() => { close(); asked.run(); }}>{asked.verb}</Button>
        <Button onClick={close}>Go back</Button>
      </div>
    </Dialog>
  );
}

function Choices() {
  return (
    <Dialog title="Ask before" onClose={() => { isChoosing.value = false; }}>
      {(Object.keys(ACTIONS) as ActionId[]).map((action) => <Choice key={action} action={action} label={ACTIONS[action].title} />)}
    </Dialog>
  );
}

function Choice({ action, label }: { readonly action: ActionId; readonly label: string }) {
  return (
    <label class="choice">
      <input
        type="checkbox" checked={isAsked(action)}
        onChange={(event) => { choices.value = { ...choices.value, [action]: event.currentTarget.checked }; }}
      /> {label}
    </label>
  );
}

function isAsked(action: ActionId): boolean {
  return choices.value[action] ?? ACTIONS[action].isAsked;
}

function isFlags(value: unknown): value is Readonly<Record<string, boolean>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((flag) => typeof flag === 'boolean');
}
