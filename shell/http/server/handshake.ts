// Checks a WebSocket handshake (RFC 6455 4.2.1). The web server itself checks only the length of the key.

import type { HttpRequest as NativeRequest } from 'uWebSockets.js';
import { refuse, type Refused } from '../errors.ts';

const VERSION = '13';
const KEY = /^[A-Za-z0-9+/]{22}==$/;
const UPGRADE = /(^|,)[ \t]*websocket[ \t]*(,|$)/i;
const CONNECTION = /(^|,)[ \t]*upgrade[ \t]*(,|$)/i;

export const UPGRADE_HEADERS = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-version': VERSION };
const OTHER_VERSION: Refused = { ...refuse('upgrade_required', `Sec-WebSocket-Version must be ${VERSION}`), headers: UPGRADE_HEADERS };

export function handshakeRefusal(req: NativeRequest): Refused | null {
  const upgrades: string[] = [];
  const connections: string[] = [];
  const keys: string[] = [];
  const versions: string[] = [];
  req.forEach((name, value) => {
    if (name === 'upgrade') upgrades.push(value);
    else if (name === 'connection') connections.push(value);
    else if (name === 'sec-websocket-key') keys.push(value);
    else if (name === 'sec-websocket-version') versions.push(value);
  });
  if (versions.length !== 1 || versions[0] !== VERSION) return OTHER_VERSION;
  if (!UPGRADE.test(upgrades.join(','))) return refuse('invalid_request', 'Upgrade must name websocket');
  if (!CONNECTION.test(connections.join(','))) return refuse('invalid_request', 'Connection must name Upgrade; a proxy has to pass it on');
  if (keys.length !== 1 || !KEY.test(keys[0]!)) return refuse('invalid_request', 'Sec-WebSocket-Key must be 16 bytes in base64, once');
  return null;
}
