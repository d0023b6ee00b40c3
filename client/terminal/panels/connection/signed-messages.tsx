// The last signed messages: what was hashed, digest, signature, bytes, answer, and a button to send the same bytes again.

import { useSignal } from '@preact/signals';
import { digestHex } from '../../../src/main.ts';
import { timeBoth } from '../../format.ts';
import { Button } from '../../ui/controls.tsx';
import { Card, Facts } from '../../ui/card.tsx';
import { outcomeOf, signedLog, type Outcome } from '../../venue/signed-log.ts';

type Again = { readonly id: number; readonly isReplay: boolean; readonly outcome: Outcome };

export function SignedMessages() {
  const chosen = useSignal<number | null>(null);
  const again = useSignal<Again | null>(null);
  const isBusy = useSignal(false);
  const entries = signedLog.value;
  const entry = entries.find(({ id }) => id === chosen.value) ?? entries[0];
  if (entry === undefined) {
    return (
      <Card title="Signed messages" isWide>
        <p class="hint">Nothing has been signed in this page yet. Whatever you send appears here with the bytes that were signed.</p>
      </Card>
    );
  }
  const { act, id, outcome } = entry;
  const send = async (): Promise<void> => {
    isBusy.value = true;
    let isReplay = false;
    const answer = act.sendAgain({ retries: 0, onAnswer: (facts) => { isReplay = facts.isReplay; } });
    again.value = { id, outcome: await outcomeOf(answer), isReplay };
    isBusy.value = false;
  };
  return (
    <Card title="Signed messages" isWide>
      <div class="bar">
        <label>
          Message{' '}
          <select class="select" value={id} onChange={(event) => { chosen.value = Number(event.currentTarget.value); }}>
            {entries.map((one) => (
              <option key={one.id} value={one.id}>{timeBoth(one.sentMs)} · {one.act.items[0]!.data.primaryType}</option>
            ))}
          </select>
        </label>
        <Button kind="primary" isDisabled={isBusy.value || outcome.value === null} onClick={() => void send()}>
          Send the same bytes again
        </Button>
      </div>
      <Facts rows={[
        ['Request', `${act.request.method} ${act.request.path}`],
        ['Signed by', String(act.items[0]!.data.message['wallet'] ?? 'the wallet of the request')],
        ...act.items.map(({ data }, at) => [at === 0 ? 'Digest' : `Digest ${at + 1}`, digestHex(data)] as const),
        ...signaturesOf(act.request.body).map((text, at) => [at === 0 ? 'Signature' : `Signature ${at + 1}`, text] as const),
      ]} />
      <h3>What was signed</h3>
      <Text label="What was signed">{JSON.stringify(act.items.map(({ data: { domain, primaryType, message } }) => (
        { domain, primaryType, message }
      )), null, 1)}</Text>
      <h3>Bytes sent</h3>
      <Text label="Bytes sent">{act.request.body ?? ''}</Text>
      <h3>Answer</h3>
      <Text label="Answer" isBad={outcome.value?.isError === true}>{outcome.value?.text ?? 'No answer yet.'}</Text>
      <h3>Sent again</h3>
      <div role="status">
        {again.value?.id === id ? <SentAgain first={outcome.value} again={again.value} />
          : <p class="hint">The venue acts on a nonce once. The same bytes again get the first answer, and nothing happens twice.</p>}
      </div>
    </Card>
  );
}

type TextProps = { readonly label: string; readonly isBad?: boolean; readonly children: string };

function Text({ label, isBad, children }: TextProps) {
  return <pre class={isBad === true ? 'bytes bad' : 'bytes'} role="group" aria-label={label} tabIndex={0}>{children}</pre>;
}

function SentAgain({ first, again: { isReplay, outcome } }: { readonly first: Outcome | null; readonly again: Again }) {
  const isSame = first !== null && first.isError === outcome.isError && essence(first.body) === essence(outcome.body);
  return (
    <>
      <p>
        <strong>{isSame ? 'The same answer as before.' : 'Another answer than before.'}</strong>{' '}
        {isReplay ? 'The venue says that it is a repeat: nothing was done.'
          : outcome.isError ? 'The venue refused it: nothing was done.' : 'The venue does not say that it is a repeat.'}
      </p>
      {!isSame && <Text label="Second answer">{outcome.text}</Text>}
    </>
  );
}

function essence(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body);
  const { id: _, replayed: __, limit: ___, ...rest } = body as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest);
}

function signaturesOf(body: string | undefined): readonly string[] {
  return [...(body ?? '').matchAll(/"signature":"(0x[0-9a-f]+)"/g)].map((match) => match[1]!);
}
