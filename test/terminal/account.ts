// A throwaway key that the page makes for a test, and a client of the test with the same key.

import type { Page } from 'playwright-core';
import { connect, privateKeySigner, type Strikebook } from '../../client/src/main.ts';

export async function throwawayOf(page: Page, url: string): Promise<Strikebook> {
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: 'Try with a throwaway key' }).click();
  await page.getByRole('button', { name: 'Show the private key' }).click();
  const key = await page.getByLabel('Private key').inputValue();
  await page.keyboard.press('Escape');
  return connect(url, { signer: privateKeySigner(key) });
}
