// GET /gas-provider/{chain_id}: what a transaction on the configured chain costs (decision 6.7), as the chain's node says.

import { HIGH } from '../../core/codec/record.ts';
import { guarded, type Api } from '../api/context.ts';
import { sendError } from '../http/errors.ts';
import type { Uint64 } from '../http/fields.ts';
import type { Responder } from '../http/message.ts';
import { route, type Route } from '../http/router.ts';

export function gasRoutes(api: Api): readonly Route[] {
  return [
    route({
      method: 'GET', path: '/gas-provider/{chain_id}', auth: 'none', rate: 'api', envelope: 'bare',
      doc: 'Fee estimates of the configured chain, wei per gas.', params: { chain_id: { kind: 'uint64' } },
      handler: ({ params }, responder) => sendFees(api, responder, params.chain_id),
    }),
  ];
}

function sendFees(api: Api, responder: Responder, { lo, hi, text }: Uint64): void {
  const { chainId } = api.config;
  const client = { responder, envelope: 'bare' } as const;
  if (!api.outside.hasFees) return sendError(responder, 'bare', 'not_found', 'No gas provider is configured');
  // Beyond 2^53 the sum may be rounded, and is no chain that can be configured.
  if (hi * HIGH + lo !== chainId) return sendError(responder, 'bare', 'not_found', `Unsupported chain id: ${text}`);
  api.outside.fees(({ fees, time }) => guarded(api, 'gas provider', client, () => {
    responder.send(200, JSON.stringify({
      chain_id: chainId, gas_price: String(fees.price), base_fee_per_gas: String(fees.base), max_fee_per_gas: String(fees.most),
      max_priority_fee_per_gas: String(fees.priority), timestamp: time,
    }));
  }), (why) => sendError(responder, 'bare', 'internal_error', `Fee estimation failed: ${why}`));
}
