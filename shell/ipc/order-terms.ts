// What an extended order has beside a plain one: only what is in force (spec, extensions 1).

import { DECIMALS, formatDecimal } from '../../core/codec/decimal.ts';
import { POST_ONLYS, STPS, TRIGGER_BYS, TRIGGER_DIRECTIONS } from './enum-names.ts';

export type OrderTerms = {
  post_only?: true | 'slide'; expires_at?: number; stp?: Exclude<(typeof STPS)[number], 'cancel_maker'>;
  trigger?: {
    by: Exclude<(typeof TRIGGER_BYS)[number], ''>; direction: Exclude<(typeof TRIGGER_DIRECTIONS)[number], ''>; price: string;
  };
  link_id?: string;
};

export const NO_TERMS: OrderTerms = Object.freeze({});

/** Prices in 1e-6. */
export function orderTerms(word: number, expiresAt: number, triggerPrice: number, linkId: string): OrderTerms {
  const postOnly = POST_ONLYS[word & 0xff];
  const stp = STPS[(word >>> 8) & 0xff];
  const by = TRIGGER_BYS[(word >>> 16) & 0xff];
  const direction = TRIGGER_DIRECTIONS[word >>> 24];
  return {
    ...(postOnly && { post_only: postOnly === 'slide' ? postOnly : true }), ...(expiresAt !== 0 && { expires_at: expiresAt }),
    ...(stp !== undefined && stp !== 'cancel_maker' && { stp }),
    ...(by && direction && { trigger: { by, direction, price: formatDecimal(triggerPrice, DECIMALS) } }),
    ...(linkId !== '' && { link_id: linkId }),
  };
}

export function termsIn({ post_only, expires_at, stp, trigger, link_id }: OrderTerms): OrderTerms {
  return {
    ...(post_only && { post_only }), ...(expires_at && { expires_at }), ...(stp && { stp }), ...(trigger && { trigger }),
    ...(link_id && { link_id }),
  };
}
