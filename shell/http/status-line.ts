// The status line of an answer. The reason phrases are Node's own, written down here since `node:http`, with all that hangs on it, was a
// tenth of what a venue takes to start when each api thread loaded it.

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
