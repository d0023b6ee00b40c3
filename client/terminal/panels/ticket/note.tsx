// Whose figures the ticket shows: the page's own, and what the venue's simulation said of them.

import { price, rounded } from '../../format.ts';
import type { Kind } from './fields.ts';
import type { Confirmation } from './judge.ts';

type NoteProps = {
  readonly confirmation: Confirmation; readonly problem: string | null; readonly isVisitor: boolean; readonly kind: Kind;
};

const AS: Readonly<Record<Kind, string>> = {
  limit: '', stop: 'As if it had fired. ', pair: 'As if the target were filled. ', entry: 'As if the entry were filled. ',
};

export function Note({ confirmation, problem, isVisitor, kind }: NoteProps) {
  const who = isVisitor ? 'For a new account. ' : '';
  const text = problem ?? `${who}${AS[kind]}${noteOf(confirmation)}`;
  return <p class="note-of-figures" role="status" title={text}>{text}</p>;
}

function noteOf(confirmation: Confirmation): string {
  switch (confirmation.kind) {
    case 'none': return 'The page’s own figures.';
    case 'asking': return 'The page’s own figures.';
    case 'limited': return 'The page’s own figures: the venue simulates no more for now.';
    case 'failed': return `The page’s own figures: ${confirmation.text}`;
    case 'same': return 'Margins confirmed by the venue.';
    case 'moved': return `Venue: ${marginsOf(confirmation)}; marks moved.`;
    case 'different': return `The venue differs: ${marginsOf(confirmation)}.`;
  }
}

function marginsOf({ margins: { initial, maintenance } }: Extract<Confirmation, { readonly margins: unknown }>): string {
  return `initial ${price(rounded(initial, 2))}, maintenance ${price(rounded(maintenance, 2))}`;
}
