// Outcomes of a command as numbers. A refusal of the domain is a code, never an exception; its text is built at the
// edge (shell/http/texts) from the code and up to four numbers of the reply. Ranges: 1.. value checks of the api
// thread (HTTP 400), 100.. admission, 120.. caps, 200.. engine rejections (HTTP 200, REJECTED), 240.. cancels,
// 260.. other actions. The order of checks is decision 3.12.

export const OK = 0;

// Value checks, made by the api thread before it publishes; main answers them after signer, nonce and rate.
export const INVALID_SIDE = 1;
export const INVALID_TIF = 2;
export const SIZE_NOT_POSITIVE = 3;
export const SIZE_TOO_LARGE = 4;
export const PRICE_NOT_POSITIVE = 5;
export const PRICE_FIGURES = 6;
export const PRICE_DECIMALS = 7;
export const PRICE_TOO_HIGH = 8;
export const AMOUNT_TOO_LARGE = 9;
export const SYMBOL_FORMAT = 10;
export const CLIENT_ID_TOO_LONG = 11;
export const INVALID_TIER = 12;
export const INVALID_PRICE = 13;
export const EXPIRY_IN_THE_PAST = 14;
export const INVALID_MODE = 15;
export const INVALID_MMP = 16;
export const INVALID_SURFACE = 17;
export const UNDERLYING_DIFFERS = 18;
export const CLIENT_ID_FORMAT = 19;
export const INVALID_USERNAME = 20;
export const INVALID_COMPETITION = 21;
export const INVALID_MARKET = 22;
export const INVALID_CONNECTION = 23;
/** VOID_NONCES: up to more than its own nonce, or that is 2^63 or more. */
export const INVALID_UP_TO = 24;

// Admission: no seq is given.
export const UNAUTHORIZED = 100;
export const NONCE_USED = 101;
export const RATE_LIMITED = 102;
export const ENGINE_BUSY = 103;
export const NEW_WALLET_LIMIT = 104;
export const DISK_LOW = 105;

// Caps, checked with admission, so atomically with the command (decisions 4.4, 5.4).
export const MAX_OPEN_ORDERS = 120;
export const MAX_POSITIONS = 121;
export const POSITION_LIMIT = 122;

// Engine rejections of an order.
export const EXPIRED = 200;
export const NOT_LISTED = 201;
export const DUPLICATE_CLIENT_ID = 202;
export const NO_FUNDS = 203;
export const TIER1_SHORT = 204;
export const NO_SPOT_PRICE = 205;
export const INSUFFICIENT_MARGIN = 206;
export const RFQ_NOT_AVAILABLE = 207;
export const REDUCE_ONLY_INCREASES = 208;
export const MMP_FROZEN = 209;
export const IN_LIQUIDATION = 210;
export const PERP_WITHOUT_UNDERLYING = 211;
export const TOO_MANY_REDUCE_ONLY = 212;

// Cancels. NOT_OPEN: the id was issued, the core no longer holds the order; the reader knows how it ended.
export const ORDER_NOT_FOUND = 240;
export const NOT_OPEN = 241;
/** An own open order whose market was deleted: it is being cancelled already. */
export const NO_ORDERBOOK = 242;

// Agents, tiers, feeds.
export const AGENT_NOT_FOUND = 260;
export const TOO_MANY_PENDING = 261;
export const TOO_MANY_AGENTS = 262;
export const UNKNOWN_WALLET = 263;
export const UNKNOWN_UNDERLYING = 264;
export const TOO_MANY_UNDERLYINGS = 265;
export const POSITIONS_OPEN = 266;
export const ORDERS_DO_NOT_FIT = 267;
export const NOT_PENDING_PRICE = 268;
export const TOO_MANY_MMP_CONFIGS = 270;
export const EXPIRY_NOT_LISTED = 271;
/** A later revocation has voided the approval. */
export const APPROVAL_VOID = 272;

// Usernames, payouts, competitions, markets.
export const USERNAME_TAKEN = 280;
export const USERNAME_CHANGED_TODAY = 281;
export const NOT_OWN_PAYOUT = 282;
export const TOO_MANY_COMPETITIONS = 283;
export const MARKET_EXISTS = 284;
export const MARKET_NOT_LISTED = 285;
export const OPEN_INTEREST = 286;

/** Why an order is done, in events and in the history. */
export const DONE_FILLED = 1;
export const DONE_CANCELLED = 2;
export const DONE_IOC_REST = 3;
export const DONE_FOK_KILLED = 4;
export const DONE_SELF_TRADE = 5;
export const DONE_EXPIRED = 6;
/** A posting would have left the exact range of a balance or a position. */
export const DONE_BALANCE_RANGE = 7;
/** Another order of the wallet triggered its protection; the order itself did, while it was filled. */
export const DONE_MMP = 8;
export const DONE_MMP_SELF = 9;
/** A reduce-only order whose position is gone. */
export const DONE_NOTHING_TO_REDUCE = 10;
export const DONE_LIQUIDATION = 11;
export const DONE_REPLACED = 12;
/** A resting order that would have opened risk when its account had no margin left for it. */
export const DONE_MARGIN = 13;
/** The order's market was deleted by the operator. */
export const DONE_MARKET_DELETED = 14;
/** A time limit of its wallet: the dead man's switch; the connection was gone for too long. */
export const DONE_CANCEL_AFTER = 15;
export const DONE_DISCONNECTED = 16;
/** The part of the order pool for default and tier1 wallets was crowded, and the order had rested for seven days. */
export const DONE_CAPACITY = 17;
