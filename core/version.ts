// The two numbers that decide whether stored bytes may be read and replayed by this core.

/** Raised by every change after which an old command could have another result; golden journals fail and say so. */
export const BEHAVIOUR = 20;
/** Raised by every change of the layout of a record; another layout is refused by name. */
export const CODEC = 5;
