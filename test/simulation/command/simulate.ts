/**
 * Entry of `npm run simulate -- [--seeds N] [--requests M] [--seed S] [--mutant NAME|all]`: runs the simulation from seed
 * S on; with a mutant, until it is found. `--help` says more.
 */
import { resolveLayer } from './resolve-layer.ts';

resolveLayer();
const { runCommand } = await import('./command.ts');
const EXIT_USAGE = 2;
process.exitCode = await runCommand(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message} (npm run simulate -- --help lists the options)\n`);
  return EXIT_USAGE;
});
