// Checks that the end of a request is unambiguous, to prevent request smuggling through a proxy (RFC 9112 6.3, 11.2). uWebSockets.js
// takes trailers or bytes behind a broken chunk for the next request, so every transfer coding is refused.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';
import { refuse, type Refusal } from '../errors.ts';

const CODED = refuse('length_required', 'Content-Length is required: no Transfer-Encoding is taken');
const LENGTH = refuse('invalid_request', 'The length of the body must be told once, in digits: Content-Length');
const HOST = refuse('invalid_request', 'Host must be told once');
const DIGITS = /^[0-9]{1,15}$/;
const CHUNKED = 'chunked';
const CLOSE = /\bclose\b/i;
/** The web server takes every Connection value of this length for `close`. */
const CLOSE_LENGTH = 5;

type Framing = {
  readonly refusal: Refusal | null;
  readonly isChunked: boolean;
  readonly closes: boolean;
};

const PLAIN: Framing = { refusal: null, isChunked: false, closes: false };
const CLOSING: Framing = { refusal: null, isChunked: false, closes: true };

export function framingOf(req: NativeRequest): Framing {
  let [lengths, hosts, codings] = [0, 0, 0];
  let [isLength, isChunked, closes] = [true, true, false];
  req.forEach((name, value) => {
    if (name === 'content-length') {
      lengths++;
      isLength &&= DIGITS.test(value);
    } else if (name === 'transfer-encoding') {
      codings++;
      isChunked &&= value.toLowerCase() === CHUNKED;
    } else if (name === 'host') hosts++;
    else if (name === 'connection') closes ||= value.length === CLOSE_LENGTH || CLOSE.test(value);
  });
  if (codings > 0) return { refusal: CODED, isChunked: isChunked && codings === 1, closes: true };
  if (lengths > 1 || !isLength) return { refusal: LENGTH, isChunked: false, closes: true };
  if (hosts > 1) return { refusal: HOST, isChunked: false, closes: true };
  return closes ? CLOSING : PLAIN;
}
