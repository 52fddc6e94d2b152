import { runSimulate } from './command/simulate-command.ts';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 10);
/** Of environments with many requests: each has some hundred of them killed in the middle. */
const SHARED_SEEDS = Number(process.env.SIMULATION_SEEDS ?? 6);
const REQUESTS = 2_000;
const TIME_LIMIT_MS = 600_000;

test(
  'every invariant holds in every run of environments with 64 requests',
  async () => {
    const args = ['--seeds', String(SHARED_SEEDS), '--requests', String(REQUESTS), '--workers', '1'];
    const { output, exitCode } = await runSimulate([...args, '--hosting', 'instances']);
    process.stdout.write(output);
    expect(output).toContain(`every invariant held in all ${SHARED_SEEDS} runs`);
    expect(exitCode).toBe(0);
    for (const cause of ['killed under way', 'killed while held back', 'killed after all refused'])
      expect(output).toContain(cause);
    expect(output).toMatch(/full [1-9][\d,]* times, credentials expired [1-9]/);
  },
  TIME_LIMIT_MS,
);

test(
  'every invariant holds in every run',
  async () => {
    // One thread: each compiles the code for itself, and other tests run on the other processors.
    const args = ['--seeds', String(SEEDS), '--requests', String(REQUESTS), '--workers', '1'];
    const { output, exitCode } = await runSimulate(args);
    process.stdout.write(output);
    expect(output).toContain(`every invariant held in all ${SEEDS} runs`);
    expect(exitCode).toBe(0);
    for (const cause of ['killed under way', 'killed while held back']) expect(output).toContain(cause);
  },
  TIME_LIMIT_MS,
);
