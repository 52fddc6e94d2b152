import { join, relative } from 'node:path';
import { systemClock } from '../lambdas/shared/runtime/clock.ts';
import { sleep } from '../lambdas/shared/runtime/sleep.ts';
import { askNodes } from './ask-nodes.ts';
import { keepCompiled } from './functions/compile-cache.ts';
import { watchIndexing } from './indexing-progress.ts';
import { parseOptions, type RunOptions, USAGE } from './options.ts';
import { FAILURE_EXIT_CODE, LocalRunError, USAGE_EXIT_CODE } from './processes/local-run-error.ts';
import type { Run } from './run.ts';

/** npm passes a Ctrl-C on to a process that the terminal has sent already: signals this close are one. */
const SAME_SIGNAL_MS = 500;
/** Time between two lines about the indexer where a line cannot be written over. */
const LINE_INTERVAL_MS = 10_000;
/** Time that a second signal leaves the embedded parts to write what they keep; a third one leaves none. */
const FORCED_END_MS = 5_000;

/** Runs until a signal ends it; returns the exit code. */
async function main(commandLine: readonly string[]): Promise<number> {
  const options = parseOptions(commandLine);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const stopRequested = onFirstSignal();
  keepCompiled();
  // Loaded here, with most of the modules: a usage error need not wait for them.
  const { startRun } = await import('./run.ts');
  const run = await startRun(options, systemClock);
  process.stdout.write(welcome(run, options));
  const progress = tellProgress(run);
  await stopRequested(forcedEnd(run));
  await progress.stop();
  await run.stop();
  return 0;
}

/**
 * Listens for the signals that end a run. Before the run is up one ends the process, and all parts with it; from then
 * on the first resolves the returned promise and each later one calls `force`.
 */
function onFirstSignal(): (force: () => void) => Promise<void> {
  let handle: () => void = () => process.exit(0);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => handle());
  return (force) =>
    new Promise((resolve) => {
      let countedAt: number | undefined;
      handle = () => {
        const now = performance.now();
        if (countedAt !== undefined && now - countedAt <= SAME_SIGNAL_MS) return;
        if (countedAt !== undefined) force();
        countedAt = now;
        resolve();
      };
    });
}

/** Ends a run whose stop takes too long: first lets the parts write what they keep, when called again at once. */
function forcedEnd(run: Run): () => void {
  const end = () => {
    run.kill();
    process.exit(FAILURE_EXIT_CODE);
  };
  let force = () => {
    force = end;
    void run.endParts(FORCED_END_MS).finally(end);
  };
  return () => force();
}

/** Says which chains cannot be served, and then how far the indexer is with the others. */
function tellProgress(run: Run): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const reporting = tell(run, stopping.signal).catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await reporting;
    },
  };
}

async function tell(run: Run, signal: AbortSignal): Promise<void> {
  const troubles = await askNodes(run.chains, signal);
  for (const { chain, message } of troubles) process.stdout.write(`${chain}: ${message}\n`);
  if (troubles.length > 0) {
    const logs = join(relative(process.cwd(), run.logFolder), '*.log');
    process.stdout.write(
      `To see failures: grep -shE 'upstream_failed|upstream_wrong_chain|index_step_failed' ${logs}\n`,
    );
  }
  const unserved = troubles.map(({ chain }) => chain);
  await tellIndexing(run, unserved, signal);
}

/** Keeps one line about the indexer up to date where that can be read, and says at last where it has come to. */
async function tellIndexing(
  { gateway, indexedChains }: Run,
  unserved: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { database } = gateway.endpoints;
  const chains = indexedChains.filter((chain) => !unserved.includes(chain));
  if (database === undefined || chains.length === 0) return;
  const { isTTY } = process.stdout;
  let nextLineAt = 0;
  await watchIndexing({
    database,
    chains,
    clock: systemClock,
    pause: sleep,
    stopped: () => signal.aborted,
    onLine: (line, final) => {
      if (isTTY) process.stdout.write(`\r\u001b[K${line}${final ? '\n' : ''}`);
      else if (final || systemClock.now() >= nextLineAt) {
        nextLineAt = systemClock.now() + LINE_INTERVAL_MS;
        process.stdout.write(`${line}\n`);
      }
    },
  });
}

function welcome(run: Run, options: RunOptions): string {
  const { base_url: baseUrl, dashboard_url: dashboardUrl, site_url: siteUrl } = run.gateway;
  const { demo_api_key: apiKey, demo_account: account } = run.gateway;
  const call = `'{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'`;
  const dataFolder = options.dataFolder === '.gateway' ? '' : ` --data-dir ${options.dataFolder}`;
  return `The gateway of stage ${run.stage} is ready.

  Base URL  ${baseUrl}
  API key   ${apiKey}
  Account   ${account} (npm run --silent operator -- account show ${account} --local${dataFolder})
  Dashboard ${dashboardUrl}
  Reference ${siteUrl}
  Logs      ${relative(process.cwd(), run.logFolder)}

  curl -s ${baseUrl}/v1/ -H 'Content-Type: application/json' -H 'x-api-key: ${apiKey}' -d ${call}
  curl -s ${baseUrl}/v1/data/chains -H 'x-api-key: ${apiKey}'

Ctrl-C stops it; its state stays in ${options.dataFolder}.
`;
}

/** A problem that the operator can mend is printed as its message alone; anything else is a defect, printed with its stack. */
function report(error: unknown): number {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const isPlain = ['LocalRunError', 'StageConfigError', 'UnsupportedTemplateError'].includes(name);
  process.stderr.write(`${isPlain ? message : stack}\n`);
  if (error instanceof LocalRunError) return error.exitCode;
  return name === 'StageConfigError' ? USAGE_EXIT_CODE : FAILURE_EXIT_CODE;
}

process.exitCode = await main(process.argv.slice(2)).catch(report);
process.exit();
