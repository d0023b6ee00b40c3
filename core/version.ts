// The two numbers that decide whether stored bytes may be read and replayed by this core.

/** Raised when an old command could have another result. Golden journals fail then. */
export const BEHAVIOUR = 25;
/** Raised when the layout of a record changes. Other layouts are refused by name. */
export const CODEC = 6;
