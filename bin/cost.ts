import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFile } from '../lib/config/stage-files.ts';
import { makeBill } from './cost/bill.ts';
import { BILLED_STAGE, readCountedFile, writeCountedFile } from './cost/counted-file.ts';
import { COST_USAGE, CostUsageError, parseCostOptions } from './cost/options.ts';
import { renderReport } from './cost/print-bill.ts';
import { costAt, PROVIDERS } from './cost/providers.ts';
import { readStageResources, type StageResources } from './cost/stage-resources.ts';

const USAGE_EXIT_CODE = 2;
const JSON_INDENT = 2;

/** Prints what a month of traffic costs, and what others ask for it. Returns the exit code. */
async function main(commandLine: readonly string[]): Promise<number> {
  const options = parseCostOptions(commandLine);
  if (options === 'help') {
    process.stdout.write(COST_USAGE);
    return 0;
  }
  const { profile, mixName, config, json, count } = options;
  if (count) {
    // Loaded here because it needs a run of the product, which printing need not wait for.
    const { countAll } = await import('../test/cost/count-operations.ts');
    writeCountedFile({
      resources: await synthesiseResources(stageFile(BILLED_STAGE)),
      counted: await countAll(),
    });
  }
  const { counted, resources: ofExample } = readCountedFile();
  const resources = config === undefined ? ofExample : await synthesiseResources(config);
  const report = {
    profile,
    mixName,
    bill: makeBill(profile, counted, resources),
    providers: PROVIDERS.map((provider) => costAt(provider, profile.mix, profile.requests)),
    counted,
  };
  process.stdout.write(json ? `${JSON.stringify(report, undefined, JSON_INDENT)}\n` : renderReport(report));
  return 0;
}

/** Synthesises a stage file, and reads what it has. */
async function synthesiseResources(config: string): Promise<StageResources> {
  const { synthesised } = await import('../local/synthesis.ts');
  const { loadTemplate } = await import('../local/template/load-template.ts');
  const folder = await mkdtemp(join(tmpdir(), 'gateway-cost-'));
  try {
    const { stackName } = await synthesised(config, join(folder, 'assembly'));
    return readStageResources(loadTemplate(join(folder, 'assembly'), stackName));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(error: unknown): number {
  if (!(error instanceof CostUsageError)) throw error;
  process.stderr.write(`${error.message} (npm run cost -- --help lists the options)\n`);
  return USAGE_EXIT_CODE;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
process.exitCode = await main(process.argv.slice(2)).catch(report);
