// Chooses the signature backend of a thread: the native one where the platform has it, else the portable one.

import { backendOf, type Backend, type BackendName } from './backend.ts';
import { loadNative } from './native.ts';
import { loadNoble } from './noble.ts';

/** Asked for 'native' where there is none, it throws: who insists on the speed must hear that it is not there. */
export function loadBackend(preference?: BackendName): Backend {
  const native = preference === 'noble' ? null : loadNative();
  if (native !== null) return backendOf('native', native);
  if (preference === 'native') throw new Error('The native signature backend has no binary for this platform');
  return backendOf('noble', loadNoble());
}
