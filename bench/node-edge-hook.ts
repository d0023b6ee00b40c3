// Preloaded into a venue by bench/edges.ts (`node --import`), and by nothing else: its api threads then stand on node:http and `ws`.

import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => {
    const isEdge = specifier === '../edge/edge.ts' && context.parentURL?.endsWith('/shell/threads/api.ts') === true;
    return next(isEdge ? new URL('node-edge.ts', import.meta.url).href : specifier, context);
  },
});
