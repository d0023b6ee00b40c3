// Sends a list as JSON pages or, by `Accept`, as CSV or NDJSON. `export=all` streams every row; each part is requested when the client
// has taken the last.

import { randomUUID } from 'node:crypto';
import type { ApiContext } from '../context.ts';
import { bodyJson } from '../reader-client.ts';
import { CHARGE_API, type ExportPart, type ExportQuery, type QueryParameters } from '../../ipc/queries.ts';
import { sendError } from '../../http/errors.ts';
import { formatOf, type ListName } from '../../http/export-format.ts';
import type { HttpRequest, Responder, StreamedAnswer } from '../../http/message.ts';
import { ask, askThen } from './read-route.ts';

const PART = 1_000;
const RETRY_MS = 50;

export const EXPORT = {
  export: {
    kind: 'choice', values: ['all'], optional: true,
    doc: 'With `Accept: text/csv` or `application/x-ndjson`: returns every row, whatever limit and offset. One export at a time.',
  },
} as const;

type ListingCall = { readonly api: ApiContext; readonly request: HttpRequest; readonly responder: Responder };

export function sendListing<L extends ListName>(
  { api, request, responder }: ListingCall, list: L, query: QueryParameters[L], filter: ExportQuery['filter'], isWhole: boolean,
): void {
  const format = formatOf(request.headers.accept);
  if (format === null) {
    if (!isWhole) return ask(api, request, responder, list, query);
    const fault = 'Invalid parameter: export needs Accept: text/csv or application/x-ndjson';
    return sendError(responder, 'bare', 'invalid_parameter', fault);
  }
  const client = { request, responder, envelope: 'bare', charge: CHARGE_API } as const;
  const type = { 'content-type': format.type, vary: 'Accept' };
  if (!isWhole || responder.begin === undefined) {
    return askThen(api, client, list, query, (status, body, headers) => {
      if (status !== 200) return responder.send(status, body, headers);
      const { data } = bodyJson(body) as { data: ExportPart['rows'] };
      responder.send(200, format.head(list) + format.lines(list, data), { ...headers, ...type });
    });
  }
  const named = { source: request.source.digest, id: randomUUID() };
  askThen(api, client, 'export', { ...named, filter, offset: 0, limit: 0 }, (status, body, headers) => {
    if (status !== 200) return responder.send(status, body, headers);
    // Until the reader knows the end, the source cannot start another export for a minute.
    const later = (): void => void setTimeout(over, RETRY_MS).unref();
    const over = (): void => {
      if (!api.reads.ask('exportEnd', named, ({ status }) => { if (status === 503) later(); }, later)) later();
    };
    const stream = responder.begin!(200, { ...headers, ...type }, over);
    const lines = (rows: ExportPart['rows']): string => format.lines(list, rows);
    const first = bodyJson(body) as ExportPart;
    sendParts(api, stream, { ...named, filter, as_of: first.as_of }, lines, format.head(list) + lines(first.rows));
  });
}

type Rest = Omit<ExportQuery, 'offset' | 'limit'>;

function sendParts(api: ApiContext, stream: StreamedAnswer, rest: Rest, lines: (rows: ExportPart['rows']) => string, text: string): void {
  const send = (part: string, offset: number): void => {
    if (part === '') askFrom(offset);
    else stream.write(part, () => askFrom(offset));
  };
  const askFrom = (offset: number): void => {
    if (stream.isOver) return;
    const later = (): void => void setTimeout(() => askFrom(offset), RETRY_MS);
    const isAsked = api.reads.ask('export', { ...rest, offset, limit: PART }, ({ status, body }) => {
      if (status === 503) return later();
      if (status !== 200) return stream.cut();
      const { rows } = bodyJson(body) as ExportPart;
      if (rows.length === 0) stream.end();
      else send(lines(rows), offset + rows.length);
    }, () => stream.cut());
    if (!isAsked) later();
  };
  send(text, 0);
}
