import { runCost } from './cost/run.ts';

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
process.exitCode = await runCost(process.argv.slice(2));
