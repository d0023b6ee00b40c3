// GET /gas-provider/{chain_id}: transaction costs on the configured chain, as its node reports them (decision 6.7).

import { guarded, type ApiContext } from '../context.ts';
import { sendError } from '../../http/errors.ts';
import type { Responder } from '../../http/message.ts';
import { route, type Route } from '../../http/router.ts';
import type { GasData } from '../../http/shapes/markets.ts';

export function gasRoutes(api: ApiContext): readonly Route[] {
  return [
    route({
      method: 'GET', path: '/gas-provider/{chain_id}', auth: 'none', rate: 'api', envelope: 'bare',
      doc: 'Fee estimates of the configured chain, in wei per gas.', params: { chain_id: { kind: 'int64', min: 0 } },
      handler: ({ request, params }, responder) => sendFees(api, responder, params.chain_id, request.path),
    }),
  ];
}

function sendFees(api: ApiContext, responder: Responder, id: number, path: string): void {
  const { chainId } = api.config;
  const client = { responder, envelope: 'bare' } as const;
  if (!api.upstream.hasFees) return sendError(responder, 'bare', 'not_found', 'No gas provider is configured');
  const sent = path.slice(path.lastIndexOf('/') + 1);
  if (id !== chainId) return sendError(responder, 'bare', 'not_found', `Unsupported chain id: ${sent}`);
  api.upstream.fees(({ fees, time }) => guarded(api, 'gas provider', client, () => {
    responder.send(200, JSON.stringify({
      chain_id: chainId, gas_price: String(fees.price), base_fee_per_gas: String(fees.base), max_fee_per_gas: String(fees.most),
      max_priority_fee_per_gas: String(fees.priority), timestamp: time,
    } satisfies GasData));
  }), (why) => sendError(responder, 'bare', 'internal_error', `Fee estimation failed: ${why}`));
}
