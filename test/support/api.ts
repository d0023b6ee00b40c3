// What a socket connection asks of its api thread where a test has no other part of it: somebody to be told of it.

import type { Api } from '../../shell/api/context.ts';

export const QUIET_API = { presences: { open: () => ({ number: 1, isOpen: true, close: () => undefined }) } } as unknown as Api;
