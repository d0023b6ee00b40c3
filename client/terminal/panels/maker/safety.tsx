// What ends a maker's orders when it is gone: the dead man's switch, and cancel on disconnect of this connection.

import { signal, useSignal } from '@preact/signals';
import { momentBoth, timeLeft } from '../../format.ts';
import { Answer, Card, Facts, type Told } from '../../ui/card.tsx';
import { Button, NumberField } from '../../ui/controls.tsx';
import { venueTime } from '../../venue/clock.ts';
import { connection } from '../../venue/connection.ts';
import { useRead } from '../../venue/hooks.ts';
import { acting } from './acting.ts';

const EVERY_MS = 2_000;
const SECOND_MS = 1_000;
/** Restarts within a timeout. */
const BEATS = 3;

/** Timeout that the page restarts, ms; null: none. */
const kept = signal<number | null>(null);
const keptTold = signal<Told | null>(null);
let lastBeat = 0;

setInterval(() => {
  const timeout = kept.peek();
  const client = connection.client.peek();
  if (timeout === null || client === null || connection.state.peek().kind !== 'live') return;
  if (performance.now() - lastBeat < timeout / BEATS) return;
  lastBeat = performance.now();
  void acting(keptTold, 'The switch is restarted while this page is open.', () => client.cancelAfter(timeout)).then(() => {
    if (keptTold.peek()?.isError === true) kept.value = null;
  });
}, SECOND_MS);
connection.account.subscribe(() => { kept.value = null; });

export function DeadMansSwitch({ wallet }: { readonly wallet: string }) {
  const read = useRead('/cancel-after', { wallet }, { everyMs: EVERY_MS });
  const seconds = useSignal('60');
  const told = useSignal<Told | null>(null);
  const { cancel_at: at = null } = read.data?.data ?? {};
  const set = (timeout: number, done: string): void => {
    void acting(told, done, () => connection.client.peek()!.cancelAfter(timeout)).then(read.refresh);
  };
  const timeout = Math.round(Number(seconds.value) * SECOND_MS);
  return (
    <Card title="Dead man's switch">
      <Facts rows={[
        ['State', at === null ? 'Off' : kept.value === null ? 'Armed' : 'Armed, restarted by this page'],
        ['Cancels everything', at === null ? 'never' : `in ${timeLeft(at - venueTime.value)}, at ${momentBoth(at)}`],
      ]} />
      <div class="fields">
        <NumberField label="Timeout" unit="s" value={seconds.value} onInput={(text) => { seconds.value = text; }} />
      </div>
      <span class="switch">
        <Button kind="primary" onClick={() => set(timeout, 'The switch is armed. Start it again before it is over.')}>Arm once</Button>
        <Button
          isPressed={kept.value !== null}
          onClick={() => {
            lastBeat = 0;
            told.value = null;
            kept.value = kept.value === null ? timeout : null;
          }}
        >
          Keep it armed while this page is open
        </Button>
        <Button onClick={() => { kept.value = null; set(0, 'The switch is off.'); }}>Turn off</Button>
      </span>
      <Answer told={told.value ?? keptTold.value} />
    </Card>
  );
}

export function CancelOnDisconnect({ wallet }: { readonly wallet: string }) {
  const read = useRead('/cancel-on-disconnect', { wallet }, { everyMs: EVERY_MS });
  const grace = useSignal('1000');
  const told = useSignal<Told | null>(null);
  const { cancel_at: at = null, connection: guarded = '', enabled = false, grace_ms: graceMs = 0 } = read.data?.data ?? {};
  const own = connection.socket.value?.connection ?? null;
  const set = (isOn: boolean): void => {
    const terms = { enabled: isOn, grace_ms: Number(grace.value), ...(own !== null && { connection: own }) };
    const done = isOn ? 'Your orders end when this page is gone.' : 'Cancel on disconnect is off.';
    void acting(told, done, () => connection.client.peek()!.setCancelOnDisconnect(terms)).then(read.refresh);
  };
  return (
    <Card title="Cancel on disconnect">
      <Facts rows={[
        ['State', enabled ? 'On' : 'Off'],
        ['Guards', !enabled ? 'no connection' : guarded === own ? 'the connection of this page' : guarded === '' ? 'your last connection'
          : 'another connection: guard this one again after a reload or a reconnect'],
        ['After', at === null ? `${graceMs} ms without it` : `cancels in ${timeLeft(at - venueTime.value)}`],
      ]} />
      <div class="fields">
        <NumberField label="Grace" unit="ms" value={grace.value} onInput={(text) => { grace.value = text; }} />
      </div>
      <span class="switch">
        <Button kind="primary" onClick={() => set(true)}>Guard this page's connection</Button>
        <Button isDisabled={!enabled} onClick={() => set(false)}>Turn off</Button>
      </span>
      <Answer told={told.value} />
    </Card>
  );
}
