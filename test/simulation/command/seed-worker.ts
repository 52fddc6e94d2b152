/** Thread of a {@link SeedPool}: simulates what it is sent, one after the other. */
import { parentPort } from 'node:worker_threads';
import { resolveLayer } from './resolve-layer.ts';
import type { SeedWork } from './seed-pool.ts';

resolveLayer();
const { simulate } = await import('../simulation.ts');
const { findMutant } = await import('../mutants/mutants.ts');

parentPort?.on('message', async ({ mutant, ...work }: SeedWork) => {
  const options = { ...work, ...(mutant !== undefined && { mutant: findMutant(mutant) }) };
  parentPort?.postMessage(await simulate(options));
});
