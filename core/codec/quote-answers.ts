// Answers to the sides of a mass quote, after the fixed part of the reply: two to four numbers for each named side, in message order.
//
//   status (QUOTE_ of events.ts) | 8 if a price follows | code << 4, order id (0: none)      of a side that was not refused
//   QUOTE_REJECTED | code << 4, three numbers for the text of the code                       of a refused one

import { QUOTE_LINES } from '../limits.ts';

const SIDES = 2;
const MOST_NUMBERS = 4;
export const QUOTE_ANSWERS = QUOTE_LINES * SIDES * MOST_NUMBERS;
export const ANSWER_STATUS = 7;
export const ANSWER_PRICED = 8;
export const ANSWER_CODE = 16;
export const ANSWER_NUMBERS = 3;
