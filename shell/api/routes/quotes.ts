// Routes of mass quotes (spec, extensions 4). A fault in the form of the text is refused before the signature is looked at.

import { CANCEL_QUOTES, MASS_QUOTE } from '../../../core/codec/commands.ts';
import { significantFigures } from '../../../core/codec/decimal.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import { QUOTE_ANSWERS } from '../../../core/codec/quote-answers.ts';
import { REPLY_BYTES, REPLY_WITH_IMAGE_BYTES } from '../../../core/codec/reply.ts';
import { LABEL_CHARS, QUOTE_LINES, QUOTE_TEXT_BYTES } from '../../../core/limits.ts';
import { BUY } from '../../../core/units.ts';
import type { Action } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { quoteFields } from '../derive-fields.ts';
import { parseQuotes, type QuotePage } from '../quote-page.ts';
import { fieldsOfForm, typedForm } from '../signature.ts';
import { quoteAnswer, refusedQuotes } from '../../http/bodies/quotes.ts';
import { refuse, type Refused } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import { numberFacts, outcomeText } from '../../http/outcome-texts.ts';
import type { Route } from '../../http/router.ts';
import type { CancelQuotesAnswer } from '../../http/shapes/trading.ts';
import { TEXT_BYTES } from './query-fields.ts';
import { isLabelOrNone } from '../values.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';

export const MASS_QUOTE_FIELDS = {
  ...SIGNED, quote_set: { kind: 'label', doc: 'Names the set that the quotes belong to.' },
  valid_until: {
    kind: 'integer', min: 1, max: Number.MAX_SAFE_INTEGER,
    doc: 'The venue must sequence the request before this time, ms, which lies at most 60 s ahead.',
  },
  crossing: {
    kind: 'choice', values: ['reject', 'slide'],
    doc: 'A quote that could trade on arrival is refused, or moved behind the best opposite order.',
  },
  quotes: {
    kind: 'text', minBytes: 1, maxBytes: QUOTE_TEXT_BYTES,
    doc: `Up to ${QUOTE_LINES} lines \`SYMBOL BID_SIZE BID_PRICE ASK_SIZE ASK_PRICE\`, a contract each, of one underlying. \`-\` for what `
      + 'is left out: a side without both stays as it is, a size without a price keeps the price. Size 0 removes the quote.',
  },
  detailed: { kind: 'boolean', default: true, doc: 'False: the answer has only counts and the sides that were refused. Not signed.' },
} as const;
export const CANCEL_QUOTES_FIELDS = {
  ...SIGNED,
  quote_set: { kind: 'text', maxBytes: LABEL_CHARS, default: '', doc: 'A set, or empty for all sets.' },
  scope: { kind: 'text', maxBytes: TEXT_BYTES, default: '', doc: 'An underlying, a symbol, or empty for all.' },
} as const;

const VALUES = 5;

export function quoteRoutes(api: ApiContext): readonly Route[] {
  return [
    signedRoute(api, {
      command: MASS_QUOTE, method: 'POST', path: '/mass-quote', envelope: 'bare', body: MASS_QUOTE_FIELDS,
      doc: 'Sets the bids and asks of a set in up to 100 contracts of one underlying, with one signature and in one step.',
    }, (body) => massQuoteAction(api, body)),
    signedRoute(api, {
      command: CANCEL_QUOTES, method: 'POST', path: '/cancel-quotes', envelope: 'api', body: CANCEL_QUOTES_FIELDS,
      doc: 'Cancels the quotes of a set or of all sets, everywhere or in one underlying or market.',
    }, cancelQuotesAction),
  ];
}

export function massQuoteAction(api: ApiContext, body: FieldValues<typeof MASS_QUOTE_FIELDS>): Action | Refused {
  const { crossing, detailed, nonce, quote_set: quoteSet, quotes, signature, valid_until: validUntil } = body;
  const { fault, page } = parseQuotes(quotes);
  if (fault !== null) return refuse('invalid_parameter', `Invalid parameter: quotes: ${fault}`);
  const wallet = addressOf(body.wallet);
  const values = { wallet, quoteSet, validUntil: u64Of(validUntil), crossing, quotes, nonce };
  const form = typedForm('MassQuote', values);
  const lines = page.lines.map(({ contract: { symbol }, hasAsk, hasBid }) => ({ symbol, hasAsk, hasBid }));
  let texts: readonly string[] | null = null;
  const reasonOf = (code: number, numbers: readonly number[], line: number, side: number): string => {
    texts ??= quotes.split('\n');
    const price = texts[line]!.split(' ', VALUES)[side === BUY ? 2 : 4]!;
    return reasonOfSide(api, page.lines[line]!.contract, price, code, numbers);
  };
  return {
    kind: MASS_QUOTE, wallet, ...quoteFields(values, page), places: placesOf(page), signature: { form, nonce, text: signature },
    done: ({ numbers }) => quoteAnswer({ lines, isDetailed: detailed, reasonOf }, numbers),
    rejected: (_, __, reason) => refusedQuotes(reason),
  };
}

function placesOf({ sides }: QuotePage): number {
  const most = REPLY_BYTES + 8 + sides * (QUOTE_ANSWERS / QUOTE_LINES / 2) * 8;
  return Math.ceil(most / REPLY_WITH_IMAGE_BYTES);
}

function reasonOfSide(
  api: ApiContext, { symbol, underlying }: QuotePage['lines'][number]['contract'], price: string, code: number, numbers: readonly number[],
): string {
  return outcomeText(code, {
    ...numberFacts(numbers), symbol, underlying, price, figures: String(significantFigures(price)), max_open_orders: String(numbers[0]),
    max_positions: String(numbers[0]), max_position: String(api.config.maxPositionUsdc),
  }).text;
}

export function cancelQuotesAction(body: FieldValues<typeof CANCEL_QUOTES_FIELDS>): Action | Refused {
  const { nonce, quote_set: quoteSet, scope, signature } = body;
  if (!isLabelOrNone(quoteSet)) {
    const form = `empty or 1 to ${LABEL_CHARS} letters, digits, underscores or hyphens`;
    return refuse('invalid_parameter', `Invalid parameter: quote_set must be ${form}`);
  }
  const wallet = addressOf(body.wallet);
  const form = typedForm('CancelQuotes', { wallet, quoteSet, scope, nonce });
  return {
    kind: CANCEL_QUOTES, wallet, ...fieldsOfForm(CANCEL_QUOTES, form), signature: { form, nonce, text: signature },
    facts: () => ({ symbol: scope, underlying: scope }),
    done: ({ numbers }) => JSON.stringify({
      success: true, error: null,
      data: { wallet_address: body.wallet, quote_set: quoteSet, scope, cancelled: numbers[0]!, pending: numbers[1] === 1 },
    } satisfies CancelQuotesAnswer),
    rejected: (_, __, error) => JSON.stringify({ success: false, data: null, error } satisfies CancelQuotesAnswer),
  };
}
