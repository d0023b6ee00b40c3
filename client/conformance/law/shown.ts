// How a row of the law names the test that shows it. The test asks a real venue with all its threads, over the network; otherwise the row
// says what stands in and why.

export type Shown = { readonly file: string; readonly title: string; readonly double?: string };

export const error = (when: string): Shown => ({ file: 'test/e2e/conformance/errors.test.ts', title: `error: ${when}` });
export const endpoint = (what: string): Shown => ({ file: 'test/e2e/conformance/endpoints.test.ts', title: `endpoint: ${what}` });
export const of = (file: string, title: string): Shown => ({ file: `test/${file}.test.ts`, title });
export const rule = (what: string): Shown => of('e2e/conformance/rules', `rule: ${what}`);
/** `double`: what stands in for which part, and why. */
export const doubled = (file: string, title: string, double: string): Shown => ({ ...of(file, title), double });
