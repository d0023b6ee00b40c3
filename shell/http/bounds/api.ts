// What one api thread takes at most; what answers beyond each bound stands beside it. Times in ms.
// The bounds of connections and bodies are the edge's, those of the rings the wiring's.

/** Signature checks in one turn of the event loop; more wait for the next turn. */
export const CHECKS_PER_TURN = 8;
/**
 * Replies, answers and stream messages taken in one turn of the event loop. Each connection is written to once for all of them: a
 * thread that falls behind writes less often, and catches up.
 */
export const TURN_RECORDS = 1_024;
/** After so long the rest of the answers and stream messages waits for the next turn: one of them may be all that stands on a chain. */
export const TURN_WITHIN = 15;
/**
 * Requests that wait for their signature check, each item of a bulk for itself: as many as may be on their way to main. A network source
 * has a part of the places (partOf in shell/http/source); beyond: 503 engine_busy.
 */
export const CHECKS_WAITING = 2_048;
/** Without an answer after so long a write is 500 internal_error (decision 6.4), a read 503 engine_busy; a later one reaches no client. */
export const ANSWER_WITHIN = 10_000;
/** How often answers that are late are looked for. */
export const SWEEP_EVERY = 250;
/** A read that has waited so long in the reader is not begun any more: its client would be gone before the answer came. */
export const READ_WAITS = ANSWER_WITHIN - 2 * SWEEP_EVERY;
/** Requests that wait for the main thread by message; beyond: 503 engine_busy. */
export const CONTROL_WAITING = 64;
/** A stopping thread waits so long for what is in flight. */
export const STOP_WITHIN = 2_000;
/** /ready names a thread whose event loop has stood still for so long. */
export const STILL_FOR = 5_000;
/** How often what is wrong is looked for, to be told in the log. */
export const STATUS_EVERY = 1_000;
/** Lines of one thread about faults and failed answers in a second; beyond they are only counted. */
export const FAULT_LINES = 20;

/** Requests of one network source in a minute, of a loopback source; beyond: 429 (decision 5.3). */
export const SOURCE_REQUESTS = 6_000;
export const LOOPBACK_REQUESTS = 600_000;
/**
 * Signatures of one source in a minute that gave no signer or one that may not act. Others behind the same address must not be shut out by
 * them: the first are diagnosed (each try counts as one more), beyond BULK a bulk is 429 before its signatures are checked, and a request
 * with one signature is checked as long as the source has requests left.
 */
export const SOURCE_DIAGNOSED = 600;
export const LOOPBACK_DIAGNOSED = 60_000;
export const SOURCE_BULK_FAILURES = SOURCE_REQUESTS;
export const LOOPBACK_BULK_FAILURES = LOOPBACK_REQUESTS;
/** Beyond: 429 to whatever is signed. With rates on the requests of the source are spent before. */
export const SOURCE_FAILURES = 2 * SOURCE_REQUESTS;
export const LOOPBACK_FAILURES = 2 * LOOPBACK_REQUESTS;
/** Sources counted in one minute; those beyond share one row. */
export const SOURCES = 65_536;

/** Bytes of a connection's messages that are read in a second when its source has no request left; beyond: refused unread, by id. */
export const REFUSED_BYTES = 65_536;
/** Requests of one connection for one wallet that have no answer yet (decision 7.5); beyond: REJECTED with the reason. */
export const REQUESTS_IN_FLIGHT = 50;
/** Answers of one connection that wait for their turn; beyond: the connection closes. */
export const RESULTS_WAITING = 1_024;
/** Subscriptions of one connection (decision 7.5), and symbols chosen of one of its private channels; beyond: an Error message. */
export const SUBSCRIPTIONS = 1_000;
/** Those of them to options_chain, each with a filter of its own, and symbols in all of these together; beyond: an Error message. */
export const CHAIN_SUBSCRIPTIONS = 50;
export const CHAIN_SYMBOLS = 1_000;
/** Unread bytes of a connection from which on its books are conflated to the newest. */
export const BOOK_BACKLOG = 262_144;
/** Unread bytes of a connection at which a message that must not be lost closes it with the reason. */
export const STREAM_BACKLOG = 1_048_576;
/** Symbols named by requests of one connection that wait for the one before, each request at least one; beyond: it closes. */
export const SYMBOLS_WAITING = 4_096;
/** Snapshots that the reader is asked for at a time for one network source, and one connection; the next when one of them is here. */
export const SNAPSHOTS_ASKED = 8;
/** Questions at a time by which the reader is told of streams that end; what ends meanwhile goes with the next of its topic. */
export const ENDS_TOLD = 64;
/** Messages that came to one connection while a snapshot is on its way or unread, and wait behind it; beyond: the connection closes. */
export const HELD_MESSAGES = 10_000;
/** Bytes of all that waits so, as text: of snapshots too, which may be one message for each of 65,536 books; beyond: the same. */
export const HELD_BYTES = 67_108_864;
/** Bytes of what all connections of a thread hold so, what they share counted once; beyond: who has read nothing for longest is closed. */
export const THREAD_HELD_BYTES = 536_870_912;
