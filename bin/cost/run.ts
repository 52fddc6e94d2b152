import { makeBill } from './bill.ts';
import { COST_USAGE, CostUsageError, parseCostOptions } from './options.ts';
import { type CostReport, renderReport } from './print-bill.ts';
import { costAt, PROVIDERS } from './providers.ts';

const USAGE_EXIT_CODE = 2;
const JSON_INDENT = 2;

/** Prints what a month of traffic costs, and what others ask for it. Returns the exit code. */
export async function runCost(commandLine: readonly string[]): Promise<number> {
  try {
    const options = parseCostOptions(commandLine);
    if (options === 'help') {
      process.stdout.write(COST_USAGE);
      return 0;
    }
    const { profile, mixName, json, count } = options;
    const { readCountedFile, writeCountedFile } = await import('./counted-file.ts');
    if (count) {
      // Loaded here because counting needs CDK and a run of the product, which printing need not wait for.
      const { countAll } = await import('../../test/cost/count-operations.ts');
      writeCountedFile(await countAll());
    }
    const { resources, counted } = readCountedFile();
    const report: CostReport = {
      profile,
      mixName,
      bill: makeBill(profile, counted, resources),
      providers: PROVIDERS.map((provider) => costAt(provider, profile.mix, profile.requests)),
      counted,
    };
    process.stdout.write(json ? `${JSON.stringify(report, undefined, JSON_INDENT)}\n` : renderReport(report));
    return 0;
  } catch (error) {
    if (!(error instanceof CostUsageError)) throw error;
    process.stderr.write(`${error.message} (npm run cost -- --help lists the options)\n`);
    return USAGE_EXIT_CODE;
  }
}
