// Reads the request headers that routes may see, and writes the head of an answer.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';
import type { HttpRequest, ResponseHeaders } from '../message.ts';

/** Copied from Node: importing `node:http` took a tenth of the venue's start time. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  304: 'Not Modified',
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

export function statusLine(status: number): string {
  return `${status} ${REASONS[status] ?? ''}`;
}

/** A loop would create a permanently slow object. */
export function copyHeaders(req: NativeRequest, method: string): HttpRequest['headers'] {
  const hasNoBody = method === 'GET' || method === 'HEAD';
  return {
    accept: req.getHeader('accept'), authorization: req.getHeader('authorization'),
    'content-encoding': hasNoBody ? '' : req.getHeader('content-encoding'),
    'content-type': hasNoBody ? '' : req.getHeader('content-type'),
    host: hasNoBody ? req.getHeader('host') : '', origin: hasNoBody ? req.getHeader('origin') : '',
    'accept-encoding': hasNoBody ? req.getHeader('accept-encoding') : '',
    'if-none-match': hasNoBody ? req.getHeader('if-none-match') : '',
  };
}

export function isEmpty(status: number): boolean {
  return status === 204 || status === 304;
}

/** One string: one call per header cost more than writing the body. */
export function headOf(status: number, headers: ResponseHeaders, common: string, id: string): string {
  let head = statusLine(status);
  if (headers['content-type'] === undefined && !isEmpty(status)) head += '\r\ncontent-type: application/json';
  for (const name in headers) head += `\r\n${name}: ${headers[name]!}`;
  if (headers['cache-control'] === undefined) head += '\r\ncache-control: no-store';
  return `${head}${common}\r\nx-request-id: ${id}`;
}
