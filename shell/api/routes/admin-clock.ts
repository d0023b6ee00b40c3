// The operator's steps of a simulated clock that stands still between them (decision 1.3).

import type { ApiContext } from '../context.ts';
import { sendError } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import { MOST_CLOCK_STEP_DAYS } from '../../http/limits.ts';
import type { Route } from '../../http/router.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import { isStepped } from '../../process/config.ts';
import { adminRoute, sendToMain, type AdminCall } from './admin-route.ts';

const CLOCK = {
  to_ms: { kind: 'millis', optional: true, doc: `At most ${MOST_CLOCK_STEP_DAYS} days ahead. Safe to ask for again.` },
  by_ms: { kind: 'millis', optional: true, doc: 'Instead of `to_ms`.' },
} as const;

export function clockRoutes(api: ApiContext): readonly Route[] {
  return [
    adminRoute(api, {
      method: 'POST', path: '/admin/clock', body: CLOCK,
      doc: 'Steps a clock that stands still (`--clock-speed 0`) through everything that falls due, and answers when all of it is done.',
    }, stepClock),
  ];
}

function stepClock(call: AdminCall, { to_ms: to, by_ms: by }: FieldValues<typeof CLOCK>): void {
  const refuse = (code: 'conflict' | 'invalid_parameter', text: string): void => sendError(call.responder, 'bare', code, text);
  if (!isStepped(call.api.config)) return refuse('conflict', 'The clock can be stepped only with `--clock-speed 0`');
  if ((to === undefined) === (by === undefined)) return refuse('invalid_parameter', 'Invalid parameter: either to_ms or by_ms');
  sendToMain(call, 'clock', { type: 'clock', to: to ?? null, by: by ?? null }, {}, ({ time }) => (
    { success: true, data: { time_ms: time } } satisfies AnswerTo<'POST /admin/clock'>
  ));
}
