// Answers one request of POST /hl/info, or of a `post` by socket, as a read that its source is charged for.

import { bodyJson } from '../reader-client.ts';
import type { ApiContext } from '../context.ts';
import { NO_QUORUM } from '../leadership.ts';
import { CHARGE_API } from '../../ipc/queries.ts';
import { BUSY, READ_TIMEOUT, refuse, type Checked, type Refused } from '../../http/errors.ts';
import { readBody } from '../../http/fields.ts';
import { isCode } from '../../http/shapes/error-codes.ts';
import type { Source } from '../../http/source.ts';
import { isObject } from '../../process/json-object.ts';
import { INFO_TYPES, type Question } from './types.ts';

const NAME = /^\w{1,64}$/;

export async function answerInfo(api: ApiContext, source: Source, request: unknown): Promise<Checked<unknown>> {
  const name = isObject(request) ? request['type'] : undefined;
  const type = typeof name === 'string' && Object.hasOwn(INFO_TYPES, name) ? INFO_TYPES[name]! : null;
  if (type === null) return refuse('invalid_parameter', unknownType(name));
  const fields = readBody(type.fields, request);
  if (!fields.ok) return fields;
  const questions = type.questions(fields.value, api);
  if ('ok' in questions) return questions;
  const answers = await Promise.all(questions.map((question) => ask(api, source, question)));
  const refused = answers.find(({ ok }) => !ok);
  if (refused !== undefined) return refused;
  return { ok: true, value: type.body(answers.map((answer) => (answer as { value: unknown }).value), fields.value, api) };
}

function unknownType(name: unknown): string {
  const text = 'Failed to deserialize the JSON body into the target type';
  return typeof name === 'string' && NAME.test(name) ? `${text}: there is no ${name} here` : text;
}

function ask(api: ApiContext, source: Source, [query, parameters]: Question): Promise<Checked<unknown>> {
  return new Promise((resolve) => {
    const isAsked = api.reads.ask(query, parameters, ({ status, body }) => {
      const answer: Checked<unknown> = status === 200 ? { ok: true, value: bodyJson(body) } : refusalOf(status, body);
      api.leadership.speak(() => resolve(answer), () => resolve(NO_QUORUM));
    }, () => resolve(READ_TIMEOUT), { charge: CHARGE_API, source });
    if (!isAsked) resolve(BUSY);
  });
}

function refusalOf(status: number, body: Uint8Array): Refused {
  if (status === 429) return refuse('rate_limit_exceeded', Buffer.from(body).toString('utf8'));
  const { error, message } = bodyJson(body) as { readonly error?: unknown; readonly message?: unknown };
  return refuse(isCode(error) ? error : 'internal_error', typeof message === 'string' ? message : 'The read was refused');
}
