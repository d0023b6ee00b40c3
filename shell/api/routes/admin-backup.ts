// A copy of the running venue, page by page; `npm run backup` asks for it (docs/OPERATIONS.md, Backup).

import type { ApiContext } from '../context.ts';
import { route, type Route } from '../../http/router.ts';
import { CHARGE_NONE, type QueryName, type QueryParameters } from '../../ipc/queries.ts';
import type { HttpRequest, Responder } from '../../http/message.ts';
import { adminRoute, isAdmin, refuseToken, type AdminCall } from './admin-route.ts';
import { offset, TEXT_BYTES } from './query-fields.ts';
import { ask } from './read-route.ts';

const ACTION = { action: { kind: 'choice', values: ['begin', 'end'], doc: '`begin` ends the copy before it.' } } as const;
const FILE = {
  id: { kind: 'text', maxBytes: TEXT_BYTES, doc: 'Of the copy.' }, name: { kind: 'text', maxBytes: TEXT_BYTES }, offset,
} as const;
const FRAMES = { from_seq: { kind: 'int64', min: 1, doc: 'The first seq of a frame.' } } as const;

export function backupRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', auth: 'admin', rate: 'none', envelope: 'bare' } as const;
  const answer = <Q extends QueryName>(request: HttpRequest, responder: Responder, query: Q, parameters: QueryParameters[Q]): void => {
    const call: AdminCall = { api, request, responder, envelope: 'bare' };
    if (isAdmin(call)) ask(api, request, responder, query, parameters, 'bare', CHARGE_NONE);
    else refuseToken(call);
  };
  return [
    adminRoute(api, {
      method: 'POST', path: '/admin/backup', body: ACTION,
      doc: 'Begins a copy of the running venue, or ends it. Ask for its state until it is `ready`.',
    }, ({ request, responder }, { action }) => ask(api, request, responder, 'backup', { action }, 'bare', CHARGE_NONE)),
    route({
      ...row, path: '/admin/backup', doc: 'State of the copy.',
      handler: ({ request }, responder) => answer(request, responder, 'backup', {}),
    }),
    route({
      ...row, path: '/admin/backup/file', query: FILE, doc: 'A part of a file of a copy that is ready.',
      handler: ({ request, query: { id, name, offset } }, responder) => (
        answer(request, responder, 'backupFile', { id, file: name, offset })
      ),
    }),
    route({
      ...row, path: '/admin/backup/journal', query: FRAMES, doc: 'Frames of the journal, of one segment. Ask again after the last of them.',
      handler: ({ request, query: { from_seq: from } }, responder) => answer(request, responder, 'backupJournal', { from }),
    }),
  ];
}
