// Faults of one line in what compresses answers: for whom, what of it is told, how much waits. Each is caught by the test of the file.

import type { Mutant } from './fault.ts';

type Row = readonly [name: string, find: string, replace: string];

const ROWS: readonly Row[] = [
  ['gzip that a client refuses', 'gzipWeight > 0 &&', ''],
  ['the weight of identity is not read', "(weights.get('identity') ?? 0)", '0'],
  ['the Vary header is missing', "const told = { ...headers, vary: 'Accept-Encoding' };", 'const told = headers;'],
  [
    'queued answers are not copied', 'const bytes = Buffer.from(body as string);',
    "const bytes = typeof body === 'string' ? Buffer.from(body) : body;",
  ],
  ['any number of answers waits to be compressed', '+ bytes.length > MAX_QUEUED_BYTES)', '+ bytes.length < 0)'],
  [
    'HEAD tells the length of what GET compresses', "if (method === 'HEAD') return give({ body: null, headers: packed });",
    "if (method === 'HEAD') return give({ body, headers: told });",
  ],
  [
    'an edge that closes forgets what is being compressed',
    'for (const one of [...(job === null ? [] : [job]), ...this.#waiting.splice(0)]) one.done(null);', '',
  ],
  ['an answer that cannot be compressed is lost', 'job.done(error === null ? packed : null);', 'if (error === null) job.done(packed);'],
  ['a picture is compressed', "TEXTS.test(headers['content-type'] ?? 'application/json')", 'true'],
];

export const COMPRESSION: readonly Mutant[] = ROWS.map(([name, find, replace]) => (
  { name: `compression: ${name}`, file: 'shell/http/server/compression.ts', find, replace,
    tests: ['test/shell/http/server/compression.test.ts'] }
));
