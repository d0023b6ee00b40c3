// How a row of the law names the test that shows it. The existence of each is checked by conformance.test.ts.

export type Shown = { readonly file: string; readonly title: string };

export const error = (when: string): Shown => ({ file: 'test/conformance/errors.test.ts', title: `error: ${when}` });
export const endpoint = (what: string): Shown => ({ file: 'test/conformance/endpoints.test.ts', title: `endpoint: ${what}` });
export const of = (file: string, title: string): Shown => ({ file: `test/${file}.test.ts`, title });
