// Route to amend an order (extensions 3). The answer repeats size and price as sent.

import { AMEND_ORDER } from '../../../core/codec/commands.ts';
import { DECIMALS, formatDecimal, parsePrice, significantFigures } from '../../../core/codec/decimal.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import { DONE_AMENDED } from '../../../core/errors.ts';
import { WAITS } from '../../../core/trading/amend-waiting.ts';
import { PARTLY_FILLED } from '../../../core/trading/amend.ts';
import type { Action, Effect } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { EXTENSION } from '../extended-order.ts';
import { fieldsOfForm, typedForm } from '../signature.ts';
import { endedStatus, openStatus, UNTRIGGERED } from '../../http/bodies/order-status.ts';
import { acceptedUpdate, infoOfOrder, infoOfUnknown, orderUpdate, refusedUpdate, type OrderInfoParts } from
  '../../http/bodies/order-update.ts';
import type { FieldValues } from '../../http/fields.ts';
import type { Route } from '../../http/router.ts';
import type { OrderFacts } from '../../ipc/queries.ts';
import { plainId } from './cancels.ts';
import { addressOf, SIGNED, signedRoute } from './signed.ts';

export const AMEND = {
  ...SIGNED, order_id: { kind: 'uint64', text: true },
  size: { kind: 'decimalText', doc: 'The new total size, filled part included.' }, price: { kind: 'decimalText' },
  trigger_price: { kind: 'decimalText', optional: true, doc: 'Only of an order that waits for its trigger. Absent: unchanged.' },
  valid_until: EXTENSION.valid_until,
} as const;

type AmendBody = FieldValues<typeof AMEND>;

export function amendRoutes(api: ApiContext): readonly Route[] {
  return [signedRoute(api, {
    command: AMEND_ORDER, method: 'POST', path: '/amend', envelope: 'bare', body: AMEND,
    doc: 'Changes size and price of an open order, which keeps its id. It keeps its priority if the size is not larger at the same price.',
  }, amendAction)];
}

export function amendAction(body: AmendBody): Action {
  const { order_id: id, size, price, trigger_price: triggerPrice, valid_until: validUntil, nonce, signature } = body;
  const wallet = addressOf(body.wallet);
  const orderId = plainId(id);
  const form = typedForm('AmendOrder', {
    wallet, orderId: id.text, size, price, triggerPrice: triggerPrice ?? '', validUntil: u64Of(validUntil ?? 0), nonce,
  });
  return {
    kind: AMEND_ORDER, wallet, ...fieldsOfForm(AMEND_ORDER, form), signature: { form, nonce, text: signature }, names: { orderId },
    facts: () => ({ order: orderId, price, figures: String(significantFigures(price)) }),
    done: (effect) => amended(body, effect),
    rejected: (time, { order, standing }, reason) => {
      const open = order === null ? null : order.waits ? UNTRIGGERED : openStatus(Number(order.filled_size));
      return refusedUpdate(body.wallet, infoOf(body, order), time, reason, standing ?? open);
    },
  };
}

function amended(body: AmendBody, effect: Effect): string {
  const { isMmpTriggered, numbers, order, time } = effect;
  const [orderId, filled, price, ended] = numbers as [number, number, number, number];
  const info = infoOf(body, order);
  const shown = price === parsePrice(body.price) ? info : { ...info, price: formatDecimal(price, DECIMALS) };
  if (ended === WAITS) {
    return acceptedUpdate(body.wallet, withTrigger(shown, filled), { ...effect, numbers: [orderId, 0] }, UNTRIGGERED);
  }
  if (ended === DONE_AMENDED) {
    const standing = endedStatus(ended);
    return orderUpdate({
      time, wallet: body.wallet, info: shown, status: 'CANCELED', reason: standing.endReason, filled: 0, orderId, isMmpTriggered, standing,
    });
  }
  return acceptedUpdate(body.wallet, shown, effect, ended > 0 ? endedStatus(ended) : openStatus(ended === PARTLY_FILLED ? 1 : 0));
}

function withTrigger({ terms, ...info }: OrderInfoParts, price: number): OrderInfoParts {
  return terms?.trigger === undefined ? { ...info, ...(terms && { terms }) }
    : { ...info, terms: { ...terms, trigger: { ...terms.trigger, price: formatDecimal(price, DECIMALS) } } };
}

function infoOf({ nonce, order_id: id, price, size }: AmendBody, order: OrderFacts | null): OrderInfoParts {
  const info = order === null ? infoOfUnknown(null, plainId(id)) : infoOfOrder(order);
  return { ...info, price, size, nonce: nonce.text };
}
