import { runSimulate } from './command/simulate-command.ts';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 10);
/** Of environments with many requests: each has some hundred of them killed in the middle. */
const SHARED_SEEDS = Number(process.env.SIMULATION_SEEDS ?? 6);
const REQUESTS = 2_000;
const TIME_LIMIT_MS = 600_000;
const KILLED = ['killed under way', 'killed while held back'];
const SHARED = ['killed after all refused', 'environments full', 'credentials expired'];

test.each([
  ['instances', SHARED_SEEDS, SHARED],
  ['event', SEEDS, []],
])(
  'every invariant holds in every run of functions that are hosted as %s',
  async (hosting, seeds, events) => {
    const args = ['--seeds', String(seeds), '--requests', String(REQUESTS), '--hosting', hosting];
    const { output, exitCode } = await runSimulate(args);
    process.stdout.write(output);
    expect(output).toContain(`every invariant held in all ${seeds} runs`);
    expect(exitCode).toBe(0);
    for (const event of [...KILLED, ...events]) expect(output).toMatch(new RegExp(`${event} +[1-9]`));
  },
  TIME_LIMIT_MS,
);
