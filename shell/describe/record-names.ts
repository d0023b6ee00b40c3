// What the interface calls the bodies of requests and answers, by row of the route table; some are ours, where it has no name.

/** Of a request, and of its answer with status 200; '' where the answer has a name already, or no body. */
type Names = readonly [request: string, response: string];

const REQUESTS_AND_ANSWERS: Readonly<Record<string, Names>> = {
  'POST /approve-agent': ['ApproveAgentRequest', 'ApproveAgentResponse'],
  'POST /revoke-agent': ['RevokeAgentRequest', 'RevokeAgentResponse'],
  'DELETE /revoke-agent': ['RevokeAgentRequest', 'RevokeAgentResponse'],
  'DELETE /revoke-all-agents': ['RevokeAllAgentsRequest', 'RevokeAgentResponse'],
  'POST /order': ['PlaceOrderRequest', ''],
  'PUT /order': ['ReplaceOrderRequest', ''],
  'POST /cancel': ['CancelOrderRequest', ''],
  'DELETE /order': ['CancelOrderRequest', 'CancelOrderApiResponse'],
  'POST /cancel-by-cloid': ['CancelOrderByCloidRequest', ''],
  'DELETE /order_cloid': ['CancelOrderByCloidRequest', 'CancelOrderApiResponse'],
  'POST /bulk_order': ['BulkPlaceOrderRequest', 'BulkPlaceOrderResponse'],
  'PUT /bulk_order': ['BulkReplaceOrderRequest', 'BulkPlaceOrderResponse'],
  'DELETE /bulk_order': ['BulkCancelOrderRequest', 'BulkCancelOrderResponse'],
  'DELETE /bulk_order_cloid': ['BulkCancelOrderByCloidRequest', 'BulkCancelOrderResponse'],
  'POST /limit_iv': ['LimitIvRequest', 'LimitIvApiResponse'],
  'POST /settlement-payouts/seen': ['SettlementPayoutSeenRequest', 'SettlementPayoutSeenMutationResponse'],
  'POST /margin-mode': ['SetMarginModeRequest', 'MarginModeApiResponse'],
  'POST /profile/username-request': ['UsernameChangeRequestSubmit', 'UsernameChangeRequestResponse'],
  'POST /username': ['SetUsernameRequest', 'UsernameResponse'],
  'POST /mmp/config': ['SetMmpConfigRequest', ''],
  'DELETE /mmp/config': ['DeleteMmpConfigRequest', ''],
  'POST /mmp/reset': ['ResetMmpRequest', ''],
  'POST /mmp-config': ['SetMmpConfigRequest', ''],
  'DELETE /mmp-config': ['DeleteMmpConfigRequest', ''],
  'POST /mmp-config/reset': ['ResetMmpRequest', ''],
};

const ANSWERS: Readonly<Record<string, string>> = {
  'GET /authorized-agents': 'AuthorizedAgentsResponse',
  'GET /orders': 'OrdersResponse',
  'GET /trades': 'TradesResponse',
  'GET /fills': 'FillsResponse',
  'GET /markets': 'MarketsResponse',
  'GET /greeks': 'GreeksApiResponse',
  'GET /candles': 'CandlesApiResponse',
  'GET /historical-theos': 'HistoricalTheoApiResponse',
  'GET /historical-pnl': 'HistoricalPnlApiResponse',
  'GET /portfolio/greeks': 'PortfolioGreeksApiResponse',
  'GET /settlement-payouts': 'SettlementPayoutsResponse',
  'GET /profile': 'ProfileResponse',
  'GET /profile/trades': 'ProfileTradesResponse',
  'GET /username': 'UsernameResponse',
  'GET /mmp/config': 'MmpConfigResponse',
  'GET /competitions': 'CompetitionsResponse',
  'GET /competitions/{id}': 'CompetitionResponse',
  'GET /competitions/leaderboard': 'CompetitionLeaderboardResponse',
  'GET /health': 'HealthResponse',
};

export function requestName(row: string): string | undefined {
  return REQUESTS_AND_ANSWERS[row]?.[0];
}

export function responseName(row: string): string | undefined {
  return ANSWERS[row] ?? (REQUESTS_AND_ANSWERS[row]?.[1] || undefined);
}
