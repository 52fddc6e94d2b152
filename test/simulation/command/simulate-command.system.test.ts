import { runSimulate } from './simulate-command.ts';

test('--help lists every option', async () => {
  const { output, exitCode } = await runSimulate(['--help']);
  expect(exitCode).toBe(0);
  for (const option of ['seeds', 'requests', 'seed', 'mutant', 'hosting', 'workers']) {
    expect(output).toMatch(new RegExp(`^ {2}--${option} `, 'm'));
  }
});

test('threads share the seeds', async () => {
  const { output, exitCode } = await runSimulate(['--seeds', '3', '--requests', '20', '--workers', '2']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^requests +60 in /m);
  expect(output).toContain('with 2 threads');
  expect(output).toContain('every invariant held in all 3 runs');
});

test('an unknown option is refused, and the way to the list is told', async () => {
  expect(await runSimulate(['--bogus'])).toEqual({
    output: "Unknown option '--bogus' (npm run simulate -- --help lists the options)\n",
    exitCode: 2,
  });
});
