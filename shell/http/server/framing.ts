// Where a request ends must have one answer: two programs that read a request differently, a proxy and we, are how one client's
// bytes become another's request (RFC 9112 6.3, 11.2). The web server reads any transfer coding as chunked, and its parser of chunks
// takes trailers, and bytes behind a broken chunk, for the next request; so no transfer coding is taken at all. Of two lines of a kind
// it reads the first, and an empty length as none. It reads a bad length only after the request was handed to us.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';
import { refuse, type Refusal } from '../errors.ts';

const CODED = refuse('length_required', 'Content-Length is required: no Transfer-Encoding is taken');
const LENGTH = refuse('invalid_request', 'The length of the body must be told once, in digits: Content-Length');
const HOST = refuse('invalid_request', 'Host must be told once');
const DIGITS = /^[0-9]{1,15}$/;
const CHUNKED = 'chunked';
/** A request after which its client wants no other on the connection (RFC 9112 9.6). */
const CLOSE = /\bclose\b/i;
/** The web server takes any value of Connection with so many characters for `close`, and ends the connection. */
const CLOSE_LENGTH = 5;

type Framing = {
  /** Why nobody may say where the request ends, or whose it is; its connection ends with the refusal. */
  readonly refusal: Refusal | null;
  /** It is a plain chunked request, whose sender has done nothing wrong. */
  readonly isChunked: boolean;
  /** The client wants no other request on the connection. */
  readonly closes: boolean;
};

const PLAIN: Framing = { refusal: null, isChunked: false, closes: false };
const CLOSING: Framing = { refusal: null, isChunked: false, closes: true };

/** Reads what the head says of its own end. A walk over the head: a µs. */
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
