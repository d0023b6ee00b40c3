// Fields that make an order an extended one (spec, extensions 1). They are signed as their texts, an absent one as '',
// false or 0.

import { u64Of } from '../../core/codec/fields.ts';
import type { U64 } from '../../core/codec/signed-commands.ts';
import type { ExtendedTexts } from './values.ts';
import type { FieldValues, Sent } from '../http/fields.ts';
import { STPS } from '../ipc/enum-names.ts';
import { NO_TERMS, type OrderTerms } from '../ipc/order-terms.ts';

const MOST_MS = Number.MAX_SAFE_INTEGER;

export const EXTENSION = {
  post_only: {
    kind: 'switch', values: ['slide'], optional: true,
    doc: 'The order rests whole: `true` refuses it if any part could trade on arrival, `slide` moves it one price step behind the '
      + 'best opposite order. Needs tif gtc.',
  },
  expires_at: { kind: 'integer', min: 1, max: MOST_MS, optional: true, doc: 'Good till date, ms: from then on the order trades no more.' },
  valid_until: { kind: 'integer', min: 1, max: MOST_MS, optional: true, doc: 'The venue must sequence the request before this time, ms.' },
  stp: {
    kind: 'choice', values: STPS, optional: true, doc: 'What ends when the order meets one of its own wallet. Default `cancel_maker`.',
  },
  trigger: {
    kind: 'object', optional: true, doc: 'The order waits until the value reaches the price.',
    fields: {
      by: { kind: 'choice', values: ['index', 'theo', 'mark'] }, direction: { kind: 'choice', values: ['above', 'below'] },
      price: { kind: 'decimalText' },
    },
  },
  link_id: {
    kind: 'label', optional: true,
    doc: 'What one order of a link is filled is taken off the size of each other of the same wallet and contract.',
  },
} as const;

type Body = Partial<FieldValues<typeof EXTENSION>>;

export type Extension = ExtendedTexts & { readonly expiresAt: U64; readonly validUntil: U64 };

export function isExtended(sent: Sent): boolean {
  for (const name in EXTENSION) if ((sent(name) ?? null) !== null) return true;
  return false;
}

export function extensionOf(body: Body): Extension {
  const { post_only: postOnly, expires_at: expiresAt, valid_until: validUntil, stp, trigger, link_id: linkId } = body;
  return {
    postOnly: postOnly === true ? 'reject' : postOnly === 'slide' ? postOnly : '', expiresAt: u64Of(expiresAt ?? 0),
    validUntil: u64Of(validUntil ?? 0), stp: stp ?? '', triggerBy: trigger?.by ?? '', triggerDirection: trigger?.direction ?? '',
    triggerPrice: trigger?.price ?? '', linkId: linkId ?? '',
  };
}

export function shownTerms({ post_only: postOnly, expires_at, stp, trigger, link_id }: Body): OrderTerms {
  if (!postOnly && (expires_at ?? stp ?? trigger ?? link_id) === undefined) return NO_TERMS;
  return {
    ...(postOnly && { post_only: postOnly }), ...(expires_at !== undefined && { expires_at }),
    ...(stp !== undefined && stp !== 'cancel_maker' && { stp }), ...(trigger !== undefined && { trigger }),
    ...(link_id !== undefined && { link_id }),
  };
}
