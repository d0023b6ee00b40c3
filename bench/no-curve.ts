// Preloaded into a venue by bench/socket.ts and bench/edges.ts (`node --import`): there is no setting of the venue that leads here.
// It takes the curve out of the signature check and leaves all the rest: a "signature" is then the public key itself, r ‖ s
// = x ‖ y, so the signer is still found by hashing the key. Shows what an order costs beside the curve.

import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => {
    const isCurve = specifier === './native.ts' && context.parentURL?.endsWith('/shell/auth/backends/load.ts') === true;
    return next(isCurve ? new URL('no-curve-backend.ts', import.meta.url).href : specifier, context);
  },
});
