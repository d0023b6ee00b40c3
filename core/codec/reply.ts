// Main's reply to a command: header, four numbers, and for cancels an image of the order. Clients get it only once its seq is durable.
//
//   u32 0  length in bytes       u32 1  code (u16) | tier (u8) << 16 | flags (u8) << 24
//   u32 2  request               u32 3  budget left (0xffffffff: none is kept)
//   u32 4,5 time in ms           u32 6,7 seq it depends on
//   u32 8  end of the budget's window, seconds since the epoch    u32 9  kind of the command
//   f64 5..8  numbers            byte 72..  image (only with FLAG_IMAGE)

import { QUOTE_ANSWERS } from './quote-answers.ts';

export const REPLY_BYTES = 72;
export const IMAGE_BYTES = 192;
export const REPLY_WITH_IMAGE_BYTES = REPLY_BYTES + IMAGE_BYTES;
export const REPLY_WORD_STATUS = 1;
export const REPLY_WORD_REQUEST = 2;
export const REPLY_WORD_BUDGET = 3;
export const REPLY_WORD_TIME = 4;
export const REPLY_WORD_SEQ = 6;
export const REPLY_WORD_WINDOW_END = 8;
export const REPLY_WORD_KIND = 9;
export const REPLY_DOUBLE_NUMBERS = 5;
export const FLAG_IMAGE = 1;
export const FLAG_MMP_TRIGGERED = 2;
/** A count and as many numbers follow the fixed part (quote-answers.ts). */
export const FLAG_ANSWERS = 4;
export const MOST_REPLY_BYTES = REPLY_BYTES + 8 + QUOTE_ANSWERS * 8;
export const NO_BUDGET = 0xffffffff;

// Offsets within the 192 bytes of an order's image.
/** f64; times in ms. */
export const IMAGE_ID = 0;
export const IMAGE_EXPIRY = 1;
export const IMAGE_STRIKE = 2;
export const IMAGE_PRICE = 3;
export const IMAGE_SIZE = 4;
export const IMAGE_REMAINING = 5;
export const IMAGE_CREATED = 6;
/** u32: name in two words. */
export const IMAGE_WORD_UNDERLYING = 14;
/** The client id is a length, then its bytes. */
export const IMAGE_BYTE_KIND = 64;
export const IMAGE_BYTE_SIDE = 65;
export const IMAGE_BYTE_TIF = 66;
export const IMAGE_BYTE_FLAGS = 67;
export const IMAGE_BYTE_CLIENT_ID = 68;
/** 1 if the order waits for its trigger. */
export const IMAGE_BYTE_WAITS = 133;
/** Zero for a plain order: the word of the record's terms, the link id (length, then bytes), two f64. */
export const IMAGE_WORD_TERMS = 34;
export const IMAGE_BYTE_LINK_ID = 140;
export const IMAGE_EXPIRES_AT = 22;
export const IMAGE_TRIGGER_PRICE = 23;
