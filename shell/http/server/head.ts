// Heads of requests and answers: what of a request's headers the routes may read, and the text of an answer's head.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';
import type { HttpRequest, ResponseHeaders } from '../message.ts';

/** Node's own phrases, written down: `node:http`, with all that hangs on it, was a tenth of what a venue takes to start. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  411: 'Length Required',
  413: 'Payload Too Large',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Code and phrase; a phrase is left empty where none is known, as the protocol allows. */
export function statusLine(status: number): string {
  return `${status} ${REASONS[status] ?? ''}`;
}

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
