// The introduction of /docs and /openapi.json: signing, errors, limits. Its tables come from the code.

import { BOUNDS, HEAD_BYTES, LIMITS } from '../http/limits.ts';
import { perpSources } from '../api/auth/perp-action.ts';
import { STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';
import type { Config } from '../process/config.ts';
import { STATUS } from '../http/shapes/error-codes.ts';
import { CODE_TEXTS, ENDED_TEXTS, parseFailureText } from '../http/outcome-texts.ts';
import { TIERS } from '../ipc/enum-names.ts';
import { UNLIMITED } from '../../core/tiers.ts';

export function description(config: Config, structures: readonly StructureName[]): string {
  const sections = [['Signing', signing(config, structures)], ['Errors', errors()], ['Limits', limits(config)]] as const;
  const folded = sections.map(([title, text]) => `<details>\n<summary><b>${title}</b></summary>\n\n${text}\n\n</details>`);
  return [overview(), ...folded].join('\n\n');
}

function overview(): string {
  return `Options and perpetuals. Requests and answers are JSON. Prices, sizes and money of accounts are decimal strings; market
data are numbers; times are milliseconds unless a field says otherwise.

A rejected order is answered with **200**, \`status: "REJECTED"\` and a \`reason\`: read these, not the HTTP status alone.
Reads are public: anybody can see the orders, positions and fills of any wallet. WebSocket: \`/ws\`.`;
}

function signing({ serviceName, chainId }: Config, structures: readonly StructureName[]): string {
  const rows = structures.map((name) => `| ${name} | \`${STRUCTURES[name]}\` |`);
  const sources = perpSources({ name: serviceName }).map((source) => `\`${source}\``).join(' or ');
  return `Every write carries an EIP-712 signature: 65 bytes \`r ‖ s ‖ v\` as hex, with low \`s\` and \`v\` 27, 28, 0 or 1. The signer is
the wallet, or an agent that the wallet has approved. Domain: name \`${serviceName}\`, version \`1\`, chainId \`${chainId}\`,
verifyingContract the zero address (also in \`GET /exchange-info\`).

- Members are named in camelCase, JSON fields in snake_case. A \`uint64\` is a JSON integer.
- Strings are signed exactly as they are sent: \`100.0\` and \`100\` are two different requests. An absent optional string is signed as
\`""\`.
- Each request lists the fields that its signature does not cover. An unknown field is refused (400 \`Unknown field: …\`), except
under \`/compat\`.
- A nonce may be used once per wallet, in any order. A refused request does not use its nonce, so whoever has its bytes can send
it again: \`VoidNonces\` ends that. An accepted request that is sent again gets its first answer and \`Idempotent-Replay: true\`.

| Structure | Type |
|---|---|
${rows.join('\n')}

An order with \`route\` is signed as PlaceOrderRouted; with \`route\` and \`reduce_only: true\` as PlaceOrderReduceOnly. In
SetSettlementPayoutSeen the payout ids are joined by commas and \`seen\` is true.

Perp orders are signed as \`Agent\`, in the domain \`Exchange\`, version 1, chainId 1337, verifyingContract the zero address.
\`source\` is ${sources} here (the first is \`perp_source\` of \`GET /exchange-info\`). \`connectionId\` is the keccak-256 of three
parts: the MessagePack of the action; the nonce in 8 bytes, big-endian; and 0x00 when the wallet signs, or 0x01 and the wallet's 20 bytes
when an agent signs. The action has its keys in this order:
\`{type: "order", orders: [{a, b, p, s, r, t: {limit: {tif}}, c}], grouping: "na"}\`. \`a\` is the asset index
(\`perp_assets\`), \`b\` true for a buy, \`p\` and \`s\` price and size as sent, \`r\` \`reduce_only\`, \`tif\` \`Gtc\`, \`Ioc\` or \`Fok\`,
and \`c\` the client id, which is left out if there is none.`;
}

function errors(): string {
  const rows = Object.entries(STATUS).map(([code, status]) => `| ${status} | \`${code}\` |`);
  const texts = CODE_TEXTS.map(({ way, text }) => {
    const answer = way === 'rejected' || way === 'failed' ? `200 ${way}` : `${STATUS[way]} \`${way}\``;
    return `| ${answer} | ${text} |`;
  });
  const composed = [parseFailureText('{detail}'), ...Object.values(ENDED_TEXTS).map((text) => text('{order}', '{symbol}'))];
  const rejections = composed.map((text) => `| 200 rejected | ${text} |`);
  return `An error is \`{"error": code, "message": text}\`. Routes that answer \`{success, data, error}\` add \`success: false, data:
null\`; errors that occur before a route is found do not. A signature from which no signer can be recovered is 400. A signer who may not
act for the wallet is 401. Both answers show what was computed: \`digest\`, \`struct_hash\`, \`recovered\`, \`domain\`.

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
  const state = isOff
    ? 'Rate limits are off on this venue; the caps on orders and positions hold.' : 'Rates are counted per wallet and UTC minute.';
  const { sourceRequests: requests, sourceBulkFailures: bulks, sourceFailures: failures } = LIMITS;
  const source = isOff
    ? `${failures.amount} failed signatures a minute with each api thread (loopback ${failures.loopback})`
    : `${requests.amount} reads a minute (loopback ${requests.loopback}), and ${requests.amount} requests a minute with each api thread
(loopback ${requests.loopback})`;
  return `${state} Answers that count carry \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds since
the epoch). A 429 carries \`Retry-After\`, and no other answer does. The body of a 503 says when to try again: \`retry_after_secs\`.

| Tier | Orders | Cancels | Requests | Open orders | Positions |
|---|---|---|---|---|---|
${rows.join('\n')}

The column \`Requests\` is counted twice, each time in full: once for reads of the wallet, once for signed requests that are neither
orders nor cancels. A wallet holds at most ${maxPositionUsdc} USDC of notional per underlying.

A network source, which is an IPv4 address or an IPv6 /64, has ${source}. When ${bulks.amount} of its signatures
(${bulks.loopback}) have failed with one api thread in a minute, its bulk requests are refused until the minute ends; single
requests go on. New wallets an hour: ${newWallets[0]} from an IPv4 address or IPv6 /64, ${newWallets[1]} from a /56, ${newWallets[2]}
from a /48, ${newWallets[3]} in all; loopback has no such bound.

A request's head has at most ${HEAD_BYTES} bytes (431) and its body ${BOUNDS.bodyBytes} (413); a body needs \`Content-Length\` (411). The
connection ends after a body above ${BOUNDS.largeBodyBytes} bytes, and with a request that arrives before the previous answer has been
read. \`Keep-Alive\` says for how many seconds an idle connection stays open. \`X-Strikebook-Seq\` is the newest command
that an answer of the state includes. \`X-Request-Id\` repeats the request's own, if that has one
of at most 64 letters, digits, \`.\`, \`_\`, \`:\` or \`-\`; otherwise it is new. All routes except \`/admin\` exist a second time under
\`/compat\`, in the envelopes of the live venue that its published client expects.`;
}
