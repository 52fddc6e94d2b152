import { registerHooks } from 'node:module';
import { exportResponse } from '../../lambdas/data/export-response.ts';
import type { DataDependencies } from '../../lambdas/data/handle-data.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import { admittingMeter } from '../../test/support/admitting-meter.ts';
import { UNLIMITED } from '../../test/support/data-limits.ts';
import type { Take } from './export-rate.ts';

/** What the functions have as a layer. */
const ACCESS_FILE = new URL('../../lambdas/access/index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'gateway-access' ? ACCESS_FILE : specifier, context),
});

const { handleData } = await import('../../lambdas/data/handle-data.ts');

/** On Lambda such lines are metrics; the function's code writes them here too, for each page of a file. */
export function hideMetrics(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string | Uint8Array) => String(text).startsWith('{"_aws"') || write(text);
}

/** What the function's code answers in this process to a request for a list of a chain. */
export function fromFunction(
  database: NonNullable<DataDependencies['database']>,
  { chain, list }: { readonly chain: string; readonly list: string },
): Take {
  const dependencies: DataDependencies = {
    meter: admittingMeter(),
    chains: [{ chain, chainId: 1, isDefault: true }],
    database,
    clock: { now: Date.now },
    seal: createSeal('key of the benchmark'),
    respondWithExport: exportResponse,
    ...UNLIMITED,
  };
  return async function* (query) {
    const [path = '', search = ''] = `${list}${query}`.split('?');
    const sent = Object.fromEntries(
      [...new URLSearchParams(search)].map(([name, value]) => [name, [value]] as const),
    );
    const holder = { keyId: 'bench', account: 'bench' };
    const request = {
      holder,
      chain,
      path: `/${path}`,
      query: sent,
      ifNoneMatch: undefined,
      requestId: '',
    };
    const { statusCode, body, file } = await handleData(request, dependencies);
    if (statusCode !== 200) throw new Error(`${statusCode}: ${body}`);
    if (file === undefined) yield String(body);
    else for await (const piece of file.stream) yield String(piece);
  };
}
