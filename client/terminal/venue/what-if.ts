// The venue's own core for a panel: loaded when first needed, made anew for each answer of GET /risk/inputs.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RiskInputs } from '../../src/main.ts';
import type { WhatIf } from '../whatif/what-if.ts';

type Module = typeof import('../whatif/what-if.ts');
type Loaded = { readonly make: Module['WhatIf'] | null; readonly error: string | null };

export function useWhatIf(inputs: RiskInputs | null): { readonly whatIf: WhatIf | null; readonly error: string | null } {
  const [{ error, make }, setLoaded] = useState<Loaded>({ make: null, error: null });
  const isNeeded = inputs !== null;
  useEffect(() => {
    if (!isNeeded) return;
    import('../whatif/what-if.ts').then(
      (module) => setLoaded({ make: module.WhatIf, error: null }),
      (failure: unknown) => setLoaded({ make: null, error: (failure as Error).message }),
    );
  }, [isNeeded]);
  const whatIf = useMemo(() => (make === null || inputs === null ? null : new make(inputs)), [make, inputs]);
  return { whatIf, error };
}
