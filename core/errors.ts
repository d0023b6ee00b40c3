// Result codes of commands; their texts are in shell/http/outcome-texts. Ranges: 1 value checks (HTTP 400), 100 admission, 120 caps, 200
// engine refusals (HTTP 200, REJECTED), 240 cancels, 260 others. Order of checks: decision 3.12.

export const OK = 0;

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
/** `upTo` is greater than the command's nonce, or 2^63 or more. */
export const INVALID_UP_TO = 24;
export const POST_ONLY_NEEDS_GTC = 30;
export const INVALID_TRIGGER_PRICE = 31;
/** `valid_until` lies too far ahead. */
export const INVALID_VALID_UNTIL = 40;

export const UNAUTHORIZED = 100;
export const NONCE_USED = 101;
export const RATE_LIMITED = 102;
export const ENGINE_BUSY = 103;
export const NEW_WALLET_LIMIT = 104;
export const DISK_LOW = 105;

// Decisions 4.4, 5.4.
export const MAX_OPEN_ORDERS = 120;
export const MAX_POSITIONS = 121;
export const POSITION_LIMIT = 122;

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
/** A newer message of the wallet touched this underlying. */
export const NEWER_QUOTES = 214;
export const ORDER_OF_QUOTE_SET = 215;
/** A side keeps the price of a quote that is not open. */
export const NO_QUOTE_TO_RESIZE = 216;
/** Sequenced at or after the request's `valid_until`, the order's `expires_at`. */
export const TOO_LATE = 220;
export const ORDER_EXPIRED = 221;
export const TOO_MANY_LINKED = 222;
export const WOULD_TAKE = 223;
export const TOO_MANY_TRIGGERS = 224;
export const NO_TRIGGER = 225;
export const INVALID_SCHEDULE = 226;
export const NO_ENTRY = 227;
export const INVALID_LEVERAGE = 228;

export const MARKET_CANCEL_ONLY = 230;
export const MARKET_HALTED = 231;
export const WALLET_CLOSE_ONLY = 232;
export const WALLET_BLOCKED = 233;
export const OUTSIDE_BAND = 234;

// NOT_OPEN: the id was issued but the order has ended.
export const ORDER_NOT_FOUND = 240;
export const NOT_OPEN = 241;
/** The market was deleted, so the order is being cancelled already. */
export const NO_ORDERBOOK = 242;

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

export const USERNAME_TAKEN = 280;
export const USERNAME_CHANGED_TODAY = 281;
export const NOT_OWN_PAYOUT = 282;
export const TOO_MANY_COMPETITIONS = 283;
export const MARKET_EXISTS = 284;
export const MARKET_NOT_LISTED = 285;
export const OPEN_INTEREST = 286;

export const DEBIT_TOO_LARGE = 287;
export const BALANCE_TOO_LARGE = 288;

// Steps of the venue's clock: never from the core.
export const CLOCK_BEHIND = 295;
export const CLOCK_TOO_FAR = 296;
export const CLOCK_MOVING = 297;

export const DONE_FILLED = 1;
export const DONE_CANCELLED = 2;
export const DONE_IOC_REST = 3;
export const DONE_FOK_KILLED = 4;
export const DONE_SELF_TRADE = 5;
export const DONE_EXPIRED = 6;
/** A posting would leave the exact range of a balance. */
export const DONE_BALANCE_RANGE = 7;
/** Triggered by another order of the wallet, or by this one while it filled. */
export const DONE_MMP = 8;
export const DONE_MMP_SELF = 9;
export const DONE_NOTHING_TO_REDUCE = 10;
export const DONE_LIQUIDATION = 11;
export const DONE_REPLACED = 12;
/** The order would have opened risk without margin. */
export const DONE_MARGIN = 13;
export const DONE_MARKET_DELETED = 14;
export const DONE_CANCEL_AFTER = 15;
export const DONE_DISCONNECTED = 16;
/** The order had rested for seven days in a crowded pool. */
export const DONE_CAPACITY = 17;
export const DONE_ORDER_EXPIRED = 30;
export const DONE_LINKED = 31;
/** The entry order of its group ended unfilled. */
export const DONE_NO_ENTRY = 32;
export const DONE_AMENDED = 35;
export const DONE_BLOCKED = 40;
export const DONE_OPERATOR = 41;
export const DONE_QUOTE_REMOVED = 50;
