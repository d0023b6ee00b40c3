// How a row of the law names the test that shows it. The existence of each is checked by conformance.test.ts.

export type Shown = { readonly file: string; readonly title: string };
