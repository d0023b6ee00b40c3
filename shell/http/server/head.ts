// Heads of requests and answers: what of a request's headers the routes may read, and the text of an answer's head.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';
import type { HttpRequest, ResponseHeaders } from '../message.ts';
import { statusLine } from '../status-line.ts';

/** Each by its name: a loop over the names would make an object that is slow for as long as it lives. */
export function copyHeaders(req: NativeRequest, method: string): HttpRequest['headers'] {
  const hasNoBody = method === 'GET' || method === 'HEAD';
  return {
    accept: req.getHeader('accept'), authorization: req.getHeader('authorization'),
    'content-encoding': hasNoBody ? '' : req.getHeader('content-encoding'),
    'content-type': hasNoBody ? '' : req.getHeader('content-type'),
    host: hasNoBody ? req.getHeader('host') : '', origin: hasNoBody ? req.getHeader('origin') : '',
  };
}

/**
 * Status line and headers, JSON unless they say otherwise; `common` are those of every answer, `id` is the request's. The web server
 * takes what is given as the status as it is, so all go in one call: a call for each cost more than the answer's body.
 */
export function headOf(status: number, headers: ResponseHeaders, common: string, id: string): string {
  let head = statusLine(status);
  if (headers['content-type'] === undefined && status !== 204) head += '\r\ncontent-type: application/json';
  for (const name in headers) head += `\r\n${name}: ${headers[name]!}`;
  if (headers['cache-control'] === undefined) head += '\r\ncache-control: no-store';
  return `${head}${common}\r\nx-request-id: ${id}`;
}
