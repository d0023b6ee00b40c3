// One expiry's slice of a volatility surface: total variance w = sigma^2 t over log-moneyness k = log(strike / forward),
//   w(k) = (theta + chi k + sqrt(psi^2 k^2 + 2 chi theta k + theta^2)) / 2
// theta is the variance at the money; psi and chi = rho psi shape the wings. Source: J. Gatheral, A. Jacquier, "Arbitrage-free SVI
// volatility surfaces", Quantitative Finance 14 (2014) 59-71, theorem 4.2 with psi = theta phi:
//   psi (1 + |rho|) < 4 and psi phi (1 + |rho|) <= 4: call prices are convex in the strike, before rounding.
// Operators set sigma(k) = atm + skew k + curvature k^2 + ... near k = 0. A shape that breaks the bounds is flattened.

import { log } from '../math/elementary.ts';

export const THETA = 0;
export const PSI = 1;
export const CHI = 2;

/** The theorem's bound, reduced for mixtures and rounding. */
const BOUND = 3.8;
/** Bounds the skew for a given curvature: at 1 a wing would have no variance. */
const MOST_RHO = 0.95;

export function moneyness(forward: number, strike: number): number {
  return log(strike / forward);
}

/** `atm` and `years` > 0; zero skew and curvature are flat. */
export function writeSlice(out: Float64Array, at: number, atm: number, skew: number, curvature: number, years: number): void {
  // d sigma / dk = atm rho phi / 2 and d2 sigma / dk2 = atm phi^2 (1 - 2 rho^2) / 4 at k = 0.
  const tilt = 2 * skew / atm;
  const phi = Math.sqrt(Math.max(8 * curvature / atm + 2 * tilt * tilt, tilt * tilt / (MOST_RHO * MOST_RHO), 0));
  bend(out, at, atm * atm * years, phi, phi > 0 ? tilt / phi : 0);
}

export function stretchSlice(out: Float64Array, at: number, from: number, ratio: number): void {
  const theta = out[from + THETA];
  const psi = out[from + PSI];
  bend(out, at, theta * ratio, psi / theta, psi > 0 ? out[from + CHI] / psi : 0);
}

function bend(out: Float64Array, at: number, theta: number, phi: number, rho: number): void {
  const cap = BOUND / (theta * (1 + Math.abs(rho)));
  const psi = theta * Math.min(phi, cap, Math.sqrt(cap));
  out[at + THETA] = theta;
  out[at + PSI] = psi;
  out[at + CHI] = rho * psi;
}

export function sliceVariance(slices: Float64Array, at: number, k: number): number {
  const theta = slices[at + THETA];
  const wing = slices[at + PSI] * k;
  const tilt = slices[at + CHI] * k;
  return 0.5 * (theta + tilt + Math.sqrt(wing * wing + (2 * tilt + theta) * theta));
}
