// The operator panel. The admin token is in memory only, until it is forgotten or the page is closed.

import { signal, useSignal } from '@preact/signals';
import { Operator } from '../../../src/main.ts';
import { Answer, Card, Sheet, type Told } from '../../ui/card.tsx';
import { Button, Field, Tabs } from '../../ui/controls.tsx';
import { connection } from '../../venue/connection.ts';
import { venueText } from '../../venue/signed-log.ts';
import { Accounts } from './accounts.tsx';
import { ActionCard } from './action-card.tsx';
import { ACTIONS } from './actions.ts';
import { VenueHealth } from './venue-health.tsx';

const VIEWS = [{ id: 'health', title: 'Health' }, { id: 'actions', title: 'Actions' }, { id: 'accounts', title: 'Accounts' }] as const;

const operator = signal<Operator | null>(null);
const view = signal<(typeof VIEWS)[number]['id']>('health');

export function OperatorPanel() {
  const own = operator.value;
  if (own === null) return <TokenForm />;
  return (
    <section>
      <div class="bar">
        <Tabs label="Operator" tabs={VIEWS} chosen={view.value} onChoose={(id) => { view.value = id; }} controls="operator-view" />
        <Button onClick={() => { operator.value = null; }}>Forget the token</Button>
      </div>
      <div id="operator-view" class="operator-view">
        {view.value === 'health' && <VenueHealth operator={own} />}
        {view.value === 'actions' && (
          <Sheet label="Actions of the operator">
            {ACTIONS.map((action) => <ActionCard key={action.id} action={action} operator={own} />)}
          </Sheet>
        )}
        {view.value === 'accounts' && <Accounts operator={own} />}
      </div>
    </section>
  );
}

function TokenForm() {
  const token = useSignal('');
  const told = useSignal<Told | null>(null);
  const enter = async (): Promise<void> => {
    const candidate = new Operator(connection.url, token.value.trim());
    token.value = '';
    try {
      await candidate.status();
      operator.value = candidate;
    } catch (error) {
      told.value = { isError: true, text: venueText(error) };
    }
  };
  return (
    <Sheet label="Become the operator">
      <Card title="Operator">
        <p class="hint">
          The venue writes its admin token into the file admin-token of its data folder, unless it was started with one. This page keeps it
          in memory only: it is gone when you close or reload the page.
        </p>
        <form class="bar chooser" onSubmit={(event) => { event.preventDefault(); void enter(); }}>
          <Field label="Admin token">
            {(id) => (
              <input
                id={id} class="text-input" type="password" autocomplete="off" value={token.value}
                onInput={(event) => { token.value = event.currentTarget.value; }}
              />
            )}
          </Field>
          <Button kind="primary" isSubmit isDisabled={token.value.trim() === ''}>Use the token</Button>
        </form>
        <Answer told={told.value} />
      </Card>
    </Sheet>
  );
}
