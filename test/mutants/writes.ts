// Faults of one line in what a signed write is taken for, or is told when it is refused.

import type { Mutant } from './fault.ts';

/** Name, file under shell/, text, what takes its place, test. */
type Row = readonly [name: string, file: string, find: string, replace: string, test: string];

const ROWS: readonly Row[] = [
  [
    'a request is parsed before the quota of its source is checked', 'api/submit', '    const spent = sources.failuresSpent(',
    '    item.make();\n    const spent = sources.failuresSpent(', 'shell/api/parts',
  ],
  ['unknown fields are ignored', 'http/router', 'isStrict(row) ? readStrictBody : readBody', 'readBody', 'shell/api/unknown-fields'],
  [
    'unknown fields of an item are ignored', 'api/routes/bulk', 'isCompat(request.path) ? readBody : readStrictBody', 'readBody',
    'shell/api/unknown-fields',
  ],
  ['unknown fields are refused under /compat too', 'http/router', ' && !isCompat(path);', ';', 'shell/api/unknown-fields'],
  ['a message may have any field', 'ws/order-messages', 'readStrictBody(schema, item, extraNames)', 'readStrictBody(schema, {})',
    'shell/api/unknown-fields'],
  [
    'a client id of a perp is no part of its form', 'api/routes/orders', "clientId !== '' && !isCloid(clientId)", "clientId === ' '",
    'shell/api/refusal-texts',
  ],
  [
    'the answer has the canonical symbol instead of the one sent',
    'api/routes/orders', 'outcomeText(NOT_LISTED, { symbol: sent }).text', 'undefined',
    'shell/api/refusal-texts',
  ],
  [
    'the stream has the canonical symbol instead of the one sent', 'reader/history/messages', 'sentSymbol(views, at) ?? symbol', 'symbol',
    'shell/ws/order-entry',
  ],
  ['no hint at a size', 'http/hints', 'case SIZE_NOT_POSITIVE: return { hint: HINTS.size };', '', 'shell/api/refusal-texts'],
  ['a bulk has no hints', 'api/routes/bulk', ', ...hintIn(result.extra) });', ' });', 'shell/api/refusal-texts'],
  [
    'a replace by socket needs its tif', 'api/routes/orders', "REPLACE_BY_SOCKET = { ...REPLACE, tif: { ...REPLACE.tif, default: 'gtc' } }",
    'REPLACE_BY_SOCKET = { ...REPLACE }', 'shell/api/refusal-texts',
  ],
  ['unsigned flags pass the audit', 'api/derive-fields', ': flags & unsigned;', ': flags;', 'shell/api/records'],
  [
    'agents of a wallet that did not sign pass the audit', 'api/verify-record', 'if (isOwnWallet(parts.structure) && ', 'if (false && ',
    'shell/api/records',
  ],
  ['a username of any form is taken', 'api/derive-fields', ' && field.form?.test(value as string) !== false', '', 'shell/api/records'],
  ['a command is charged to the general class',
    'api/routes/signed', 'RATES[signedCommand(command)!.rate]', "'api'", 'shell/api/new-command'],
  ['nonces above the request’s own are voided', 'api/values', 'return isBeyond || nonce.hi >= TWO_31',
    'return nonce.hi >= TWO_31', 'shell/api/voids'],
  ['a perp order of another venue is taken',
    'api/auth/perp-action', "[name, 'b'] : [name]", "[name, 'b'] : [name, 'b']", 'shell/api/perps'],
  ['of two signers that a perp order may have, only the venue’s own source is tried', 'api/signature', 'found = [checked, ...found];',
    'return [checked];', 'shell/api/perps'],
  ['the second signer of a perp order takes back what the first did', 'api/submit', 'item.isSettled || (reply.code === UNAUTHORIZED && ',
    '(reply.code === UNAUTHORIZED && ', 'shell/api/perps'],
  [
    'a venue is ready before its api threads know the underlyings', 'process/venue',
    'await this.#tellUnderlyings(underlyingNames(state));\n    return steps;', 'return steps;', 'shell/process/underlyings',
  ],
  ['files of SQLite are readable by everybody', 'process/main', 'process.umask(0o077);\n', '', 'shell/process/private-folder'],
  ['the rights of an old folder are not corrected', 'process/venue', 'const seen = restrictPermissions(dataFolder);', 'const seen = null;',
    'shell/process/private-folder'],
];

export const WRITES: readonly Mutant[] = ROWS.map(([name, file, find, replace, test]) => (
  { name: `writes: ${name}`, file: `shell/${file}.ts`, find, replace, tests: [`test/${test}.test.ts`] }
));
