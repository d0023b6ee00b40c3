// What the interface description says in words: signing, errors, limits. Domain and chain are those of this venue; the texts
// and statuses of errors come from the tables that answer with them.

import { BOUNDS, HEAD_BYTES, LIMITS } from '../http/limits.ts';
import { perpSources } from '../api/auth/perp-action.ts';
import { STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';
import type { Config } from '../process/config.ts';
import { STATUS } from '../http/errors.ts';
import { CODE_TEXTS, DONE_TEXTS, parseFailureText } from '../http/texts.ts';
import { TIERS } from '../ipc/enum-names.ts';
import { UNLIMITED } from '../../core/tiers.ts';

/** `structures`: those that requests are signed as. */
export function description(config: Config, structures: readonly StructureName[]): string {
  return [overview(), signing(config, structures), errors(), limits(config)].join('\n\n');
}

function overview(): string {
  return `An exchange for options and perpetuals. JSON in, JSON out; money, prices and sizes of accounts are decimal texts, market
data are numbers; times are milliseconds where a name or description says nothing else. An order that the engine refuses is
**200** with \`status: "REJECTED"\` and a \`reason\`: read those, not the status.

All but \`/admin\` is there once more under \`/compat\`, in the envelopes of the live venue whose published client calls it.
The socket is at \`/ws\`. Every answer carries \`X-Request-Id\`: the request's own, if it has one of at most 64 letters, digits,
\`.\`, \`_\`, \`:\` or \`-\`, else a new one. Its \`Keep-Alive\` says for how many seconds
its connection may be used again: it ends soon after.`;
}

function signing({ serviceName, chainId }: Config, structures: readonly StructureName[]): string {
  const rows = structures.map((name) => `| ${name} | \`${STRUCTURES[name]}\` |`);
  const sources = perpSources({ name: serviceName }).map((source) => `\`${source}\``).join(' or ');
  return `## Signing

Every write carries an EIP-712 signature (65 bytes \`r ‖ s ‖ v\` as hex, low \`s\`, \`v\` 27, 28, 0 or 1) of the wallet, or of an agent
that the wallet approved. Domain: name \`${serviceName}\`, version \`1\`, chainId \`${chainId}\`, verifyingContract the zero address
(\`GET /exchange-info\` states them). Members are named in camelCase, fields in snake_case; a \`uint64\` is a JSON integer; texts are
signed exactly as they are sent, so \`100.0\` and \`100\` are two requests. An optional text that is absent is signed as \`""\`.
A field that a signed request does not know is refused (400 \`Unknown field: …\`), but not under \`/compat\`.

| Structure | Type |
|---|---|
${rows.join('\n')}

An order with \`route\` is signed as PlaceOrderRouted, with \`route\` and \`reduce_only: true\` as PlaceOrderReduceOnly. Perp orders
are signed as \`Agent\` in the domain \`Exchange\`, version 1, chainId 1337, verifyingContract the zero address: \`source\` is ${sources}
here (the first is \`perp_source\` of \`GET /exchange-info\`), \`connectionId\` the keccak-256 of the MessagePack of the action, the
nonce in 8 bytes, big-endian, and 0x00 when the wallet signs, 0x01 and the wallet's 20 bytes when an agent does. The action, its
keys in this order:
\`{type: "order", orders: [{a, b, p, s, r, t: {limit: {tif}}, c}], grouping: "na"}\`, where \`a\` is the asset index
(\`perp_assets\`), \`b\` whether it buys, \`p\` and \`s\` are price and size as they are sent, \`r\` is \`reduce_only\`, \`tif\` is \`Gtc\`,
\`Ioc\` or \`Fok\`, and \`c\` is the client id, left out where there is none. Payout ids are joined by commas; \`seen\` is true.

Fields that the signature does not cover are named at each request. Nonces are unique per wallet, in any order; a request that was
refused does not use its nonce. The same signed request again gets its first outcome and \`Idempotent-Replay: true\`.`;
}

function errors(): string {
  const rows = Object.entries(STATUS).map(([code, status]) => `| ${status} | \`${code}\` |`);
  const texts = CODE_TEXTS.map(({ way, text }) => {
    const answer = way === 'rejected' || way === 'failed' ? `200 ${way}` : `${STATUS[way]} \`${way}\``;
    return `| ${answer} | ${text} |`;
  });
  const composed = [parseFailureText('{detail}'), ...Object.values(DONE_TEXTS).map((text) => text('{order}', '{symbol}'))];
  const rejections = composed.map((text) => `| 200 rejected | ${text} |`);
  return `## Errors

\`{"error": code, "message": text}\`; routes that answer \`{success, data, error}\` add \`success: false, data: null\`, but not to what is
refused before a route is found. A signature that gives no signer is 400, one of somebody who may not act is 401; both say what was
computed: \`digest\`, \`struct_hash\`, \`recovered\`, \`domain\`.

| Status | Code |
|---|---|
${rows.join('\n')}

| Answer | Text, with {substitutions} |
|---|---|
${[...new Set([...texts, ...rejections])].join('\n')}`;
}

function limits({ table, rateLimits, maxPositionUsdc, newWallets }: Config): string {
  const amount = (value: number): string => value === UNLIMITED ? 'unlimited' : String(value);
  const rows = table.map((row, at) => (
    `| ${TIERS[at]} | ${[row.orders, row.cancels, row.requests, row.openOrders, row.positions].map(amount).join(' | ')} |`
  ));
  const isOff = rateLimits === 'off';
  const state = isOff ? 'Rates are off on this venue; the caps hold.' : 'Rates are counted per wallet and UTC minute.';
  const { sourceRequests: requests, sourceBulkFailures: bulks, sourceFailures: failures } = LIMITS;
  const source = isOff
    ? `with each api thread ${failures.amount} signatures a minute that fail (loopback ${failures.loopback})`
    : `${requests.amount} reads a minute (loopback ${requests.loopback}), and with each api thread ${requests.amount} requests
(${requests.loopback})`;
  return `## Limits

${state} Rate-limited answers carry \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds
since the epoch), a 429 also \`Retry-After\` and no other answer. The body of a 503 says when to come back: \`retry_after_secs\`.

| Tier | Orders | Cancels | Requests | Open orders | Positions |
|---|---|---|---|---|---|
${rows.join('\n')}

A network source has ${source}. Of bulks it has no more in a minute in which
${bulks.amount} of its signatures (${bulks.loopback}) have failed with one api thread; single requests go on. The column
\`Requests\` is counted twice, each time in full: once for a wallet's reads, once for what it signs that is neither order nor
cancel. New wallets an hour: ${newWallets[0]} of an IPv4 address or IPv6 /64, ${newWallets[1]} of a /56, ${newWallets[2]} of a /48,
${newWallets[3]} of all together; loopback has no such bound. A wallet holds at most ${maxPositionUsdc} USDC of notional in an underlying.
A request's head has at most ${HEAD_BYTES} bytes (431), its body ${BOUNDS.bodyBytes} (413);
a body comes with \`Content-Length\` (411). A connection ends with a body above ${BOUNDS.largeBodyBytes} bytes, and
with a request that comes while the answer before it is not read.`;
}
