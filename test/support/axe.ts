// Accessibility of a page by axe-core, which is put in as the browser's own script: the page's policy forbids one in the document.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

type Violation = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };
type WithAxe = { readonly axe: { run(within: string): Promise<{ readonly violations: readonly Violation[] }> } };

/** Rules that the page, or the part of it, breaks seriously. */
export async function seriousFaults(page: Page, within = 'html'): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate((part) => (globalThis as never as WithAxe).axe.run(part), within);
  const isSerious = ({ impact }: Violation): boolean => impact === 'serious' || impact === 'critical';
  return violations.filter(isSerious).map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
}
