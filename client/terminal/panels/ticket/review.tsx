// The last look: what is signed, member by member, and its digest. Only the button sends.

import { Fragment } from 'preact';
import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { timeLeft } from '../../format.ts';
import { readable } from '../../keys/readable.ts';
import { Button } from '../../ui/controls.tsx';
import { Dialog } from '../../ui/notices.tsx';
import { venueTime } from '../../venue/clock.ts';
import { sentenceOf } from './fields.ts';
import { dataOf, digestText, isSending, send, type Reviewed } from './sending.ts';

type ReviewProps = { readonly reviewed: Reviewed; readonly warnings: readonly string[]; readonly onClose: () => void };

const ENTRY = [
  'The stop and the target wait at the venue, whether this page is open or not. What one of them fills is taken off the other.',
  'If the entry fills partly, they close that part and end. The rest of the entry stays in the book until you cancel it, unless the stop '
    + 'meets it.',
  'If the entry does not fill, they wait until you cancel them. One that fires before there is anything to close ends.',
];

export function Review({ reviewed, warnings, onClose }: ReviewProps) {
  const { kind, orders } = reviewed;
  const until = orders[0]!.valid_until ?? null;
  const left = until === null ? null : until - venueTime.value;
  const foot = useRef<HTMLDivElement>(null);
  useEffect(() => { foot.current?.querySelector('button')?.focus(); }, []);
  const submit = (): void => { void send(reviewed).then(onClose); };
  // A key held down since the review was asked for sends nothing.
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>): void => { if (event.repeat) event.preventDefault(); };
  return (
    <Dialog title="Review" onClose={onClose}>
      {orders.map((order, at) => <Signed key={at} reviewed={reviewed} at={at} sentence={sentenceOf(order)} />)}
      {kind === 'entry' && <ul class="entry">{ENTRY.map((text) => <li key={text}>{text}</li>)}</ul>}
      {warnings.map((warning) => <p key={warning} class="warning">{warning}</p>)}
      <div class="review-foot" ref={foot} onKeyDown={onKeyDown}>
        <Button kind="primary" isDisabled={isSending.value || (left !== null && left <= 0)} onClick={submit}>
          {isSending.value ? 'Sending …' : 'Sign and send'}
        </Button>
        <Button onClick={onClose}>Back</Button>
        {left !== null && <span class="soft">{left > 0 ? `The venue takes it for ${timeLeft(left)}.` : 'Too late: review it again.'}</span>}
      </div>
    </Dialog>
  );
}

function Signed({ reviewed: { orders, unsigned }, at, sentence }: {
  readonly reviewed: Reviewed; readonly at: number; readonly sentence: string;
}) {
  const data = dataOf(unsigned, at);
  const { lines, title } = readable(data);
  return (
    <section aria-label={sentence}>
      <p class="sentence"><b class={orders[at]!.side === 'Buy' ? 'up' : 'down'}>{sentence}</b></p>
      {data.primaryType === 'Agent' && <Facts title="What the hash stands for" lines={bodyLines(unsigned.items[at]!.body)} />}
      <Facts title={`What is signed: ${title}`} lines={[...lines, { label: 'Digest', value: digestText(data) }]} />
    </section>
  );
}

type Lines = readonly { readonly label: string; readonly value: string }[];

function Facts({ title, lines }: { readonly title: string; readonly lines: Lines }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="facts">{lines.map(({ label, value }) => <Fragment key={label}><dt>{label}</dt><dd>{value}</dd></Fragment>)}</dl>
    </>
  );
}

function bodyLines(body: Readonly<Record<string, unknown>>): Lines {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined && value !== '');
  return fields.map(([label, value]) => ({ label, value: String(value) }));
}
