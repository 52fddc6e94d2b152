/** What a month of traffic costs, and what others ask for it: `npm run cost -- [options]`. */
import { makeBill } from './bill.ts';
import { renderComparison } from './compare-hostings.ts';
import { CostUsageError, parseCostOptions, USAGE } from './options.ts';
import { PROVIDERS } from './prices.ts';
import { type CostReport, renderReport } from './print-bill.ts';
import { costAt } from './provider-costs.ts';

const USAGE_EXIT_CODE = 2;
const JSON_INDENT = 2;

async function main(commandLine: readonly string[]): Promise<number> {
  const options = parseCostOptions(commandLine);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const { profile, mixName, json, count, compared } = options;
  // Loaded here because counting needs CDK, which printing need not wait for.
  const { readCountedFile, recount } = await import('./counted-file.ts');
  const { resources, counted } = count ? await recount() : readCountedFile();
  if (compared !== undefined) {
    const { name, shared } = compared;
    process.stdout.write(renderComparison({ ...profile, shared }, { resources, counted }, name));
    return 0;
  }
  const report: CostReport = {
    profile,
    mixName,
    bill: makeBill(profile, counted, resources),
    providers: PROVIDERS.map((provider) => costAt(provider, profile.mix, profile.requests)),
    counted,
  };
  process.stdout.write(json ? `${JSON.stringify(report, undefined, JSON_INDENT)}\n` : renderReport(report));
  return 0;
}

function report(error: unknown): number {
  if (!(error instanceof CostUsageError)) throw error;
  process.stderr.write(`${error.message} (npm run cost -- --help lists the options)\n`);
  return USAGE_EXIT_CODE;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
process.exitCode = await main(process.argv.slice(2)).catch(report);
