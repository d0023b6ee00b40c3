// How figures look. The venue's digits are kept: thousands are grouped, percent is the decimal point moved in the text. `rounded` shortens
// where there is no room, with the exact figure as title. Absent: an en dash. Times are local, with UTC beside them.

export const ABSENT = '–';
const MINUS = '−';
const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const formatOf = (form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat('en-GB', form);
/** To make one takes longer than to use it. */
const FORMATS = {
  day: formatOf(DAY), dayUtc: formatOf({ ...DAY, timeZone: 'UTC' }), shortDay: formatOf({ day: '2-digit', month: 'short' }),
  time: formatOf(TIME), timeUtc: formatOf({ ...TIME, timeZone: 'UTC' }),
};

type Figure = number | string | null | undefined;

/** All digits, without an exponent. */
export function plainText(value: number | string): string {
  const text = String(value);
  const [mantissa = '', exponent] = text.toLowerCase().split('e');
  return exponent === undefined ? text : shifted(mantissa, Number(exponent));
}

export function price(value: Figure): string {
  return value === null || value === undefined ? ABSENT : grouped(plainText(value));
}

export function size(value: Figure): string {
  return price(value);
}

/** A price; the venue's figure for no price is 0. */
export function priceOrNone(value: Figure): string {
  return value === 0 || value === '0' ? ABSENT : price(value);
}

export function percent(value: Figure): string {
  return value === null || value === undefined ? ABSENT : grouped(shifted(plainText(value), 2));
}

/** NaN unless the text is a decimal above zero. */
export function fromPercent(text: string): number {
  return /^[0-9]{1,6}(\.[0-9]{1,12})?$/.test(text) && /[1-9]/.test(text) ? Number(shifted(text, -2)) : Number.NaN;
}

export function signed(value: Figure): string {
  const text = price(value);
  return value === null || value === undefined || text.startsWith(MINUS) || Number(value) === 0 ? text : `+${text}`;
}

/** The figure with so many decimals, rounded half away from zero. */
export function rounded(value: Figure, places: number): string | null {
  if (value === null || value === undefined) return null;
  const text = plainText(value);
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  const digits = BigInt(whole + fraction.slice(0, places).padEnd(places, '0')) + (fraction.charAt(places) >= '5' ? 1n : 0n);
  const padded = String(digits).padStart(places + 1, '0');
  const point = padded.length - places;
  return `${isNegative && digits > 0n ? '-' : ''}${padded.slice(0, point)}${places === 0 ? '' : `.${padded.slice(point)}`}`;
}

/** `2 d 4 h`, `3 h 12 min`, `4 min 05 s`. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** UTC: expiries are days of the venue. */
export function dayUtc(ms: number): string {
  return FORMATS.dayUtc.format(ms);
}

export function timeOfDay(ms: number): string {
  return FORMATS.time.format(ms);
}

export function timeBoth(ms: number): string {
  return `${FORMATS.time.format(ms)} (${FORMATS.timeUtc.format(ms)} UTC)`;
}

export function momentBoth(ms: number): string {
  return `${FORMATS.day.format(ms)}, ${timeBoth(ms)}`;
}

export function momentShort(ms: number): string {
  return `${FORMATS.shortDay.format(ms)}, ${FORMATS.time.format(ms)}`;
}

function grouped(text: string): string {
  const isNegative = text.startsWith('-');
  const [whole = '', fraction] = (isNegative ? text.slice(1) : text).split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${isNegative ? MINUS : ''}${groups}${fraction === undefined ? '' : `.${fraction}`}`;
}

function shifted(text: string, places: number): string {
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  const digits = `${'0'.repeat(Math.max(0, -places))}${whole}${fraction}${'0'.repeat(Math.max(0, places - fraction.length))}`;
  const point = whole.length + Math.max(0, -places) + places;
  const front = digits.slice(0, point).replace(/^0+(?=\d)/, '') || '0';
  const back = digits.slice(point);
  return `${isNegative ? '-' : ''}${front}${back === '' ? '' : `.${back}`}`;
}
