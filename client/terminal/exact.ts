// Exact sums of the venue's decimal texts, for totals of rows that the page shows.

type Scaled = { readonly units: bigint; readonly places: number };

export function sumOf(texts: readonly string[]): string {
  const all = texts.map(scaled);
  const places = Math.max(0, ...all.map((one) => one.places));
  return textOf(all.reduce((sum, one) => sum + one.units * 10n ** BigInt(places - one.places), 0n), places);
}

export function difference(text: string, other: string): string {
  return sumOf([text, isNegative(other) ? other.slice(1) : `-${other}`]);
}

export function magnitude(text: string): string {
  return isNegative(text) ? text.slice(1) : text;
}

export function isNegative(text: string): boolean {
  return text.startsWith('-');
}

function scaled(text: string): Scaled {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), places: fraction.length };
}

function textOf(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, digits.length - places)}${fraction === '' ? '' : `.${fraction}`}`;
}
