import { registerHooks } from 'node:module';

const LAYER = 'gateway-access';
const LAYER_SOURCE = new URL('../../../lambdas/access/index.ts', import.meta.url).href;

/** Makes Node find the access layer in its source, as the bundler and the tests do. For modules loaded later. */
export function resolveLayer(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(specifier === LAYER ? LAYER_SOURCE : specifier, context),
  });
}
