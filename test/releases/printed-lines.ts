import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { build, type Plugin } from 'esbuild';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import {
  ACCOUNTS_TABLE_VARIABLE,
  KEYS_TABLE_VARIABLE,
  LANES_TABLE_VARIABLE,
  LEDGER_TABLE_VARIABLE,
  UNSETTLED_TABLE_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';
import { ACCESS_PACKAGE, bundleOptions } from '../../lib/functions/bundle.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import type { Measurement } from '../../local/dashboard/metric-series.ts';
import { type FunctionConfiguration, readFunctions } from '../../local/functions/configuration.ts';
import type { LocalServices } from '../../local/functions/environment-variables.ts';
import { createPool } from '../../local/functions/pool.ts';
import type { Resolver } from '../../local/template/intrinsics.ts';
import type { Template } from '../../local/template/template.ts';
import { startDynoxide } from '../emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';

const RPC = join(import.meta.dirname, '..', '..', 'lambdas', 'rpc');
/** Number of requests of which the lines are kept. */
const REQUESTS = 4;

/** A defect: a text of a source, and what stands there instead. */
export interface Defect {
  /** File below `lambdas/rpc`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

/** The metrics of each request, in their order. */
export type PrintedRequests = readonly (readonly Measurement[])[];

/** Runs versions of the JSON-RPC function of a stage, on an emulated store. */
export interface Releases {
  /** The metrics that a version prints for some requests of a key. @param defect of its code. @default none */
  print(version: string, defect?: Defect): Promise<PrintedRequests>;
  close(): Promise<void>;
}

export async function openReleases(template: Template, resolver: Resolver): Promise<Releases> {
  const emulator = await startDynoxide();
  const tableNames = await createMeteringTables(emulator.endpoint, 'release');
  const clientConfig = emulatorClientConfig(emulator.endpoint);
  const store = createDynamoStore({ tableNames, clientConfig });
  const services = {
    endpoints: { dynamodb: emulator.endpoint },
    accessKeyId: clientConfig.credentials.accessKeyId,
  };
  const credit = { cu: 1_000_000, reference: 'start' };
  await createAccount(store, systemClock, { account: 'acme', plan: 'standard', credit });
  const { api_key } = await createKey(store, systemClock, { account: 'acme', label: 'one' });
  const rpc = [...readFunctions(template, resolver).values()].find(({ logicalId }) =>
    logicalId.startsWith('FunctionsRpc'),
  );
  if (rpc === undefined) throw new Error('the stage has no JSON-RPC function');
  const variables = {
    ...rpc.variables,
    [KEYS_TABLE_VARIABLE]: tableNames.keys,
    [ACCOUNTS_TABLE_VARIABLE]: tableNames.accounts,
    [LANES_TABLE_VARIABLE]: tableNames.lanes,
    [UNSETTLED_TABLE_VARIABLE]: tableNames.unsettled,
    [LEDGER_TABLE_VARIABLE]: tableNames.ledger,
  };
  return {
    async print(version, defect) {
      const codeFolder = defect === undefined ? rpc.codeFolder : await withDefect(rpc, defect);
      const configuration = { ...rpc, variables, version, codeFolder };
      const printed = await printedBy(configuration, services, api_key);
      if (defect !== undefined) rmSync(codeFolder, { recursive: true });
      return printed;
    },
    close: () => emulator.close(),
  };
}

async function printedBy(
  configuration: FunctionConfiguration,
  services: LocalServices,
  apiKey: string,
): Promise<PrintedRequests> {
  let lines: string[] = [];
  const pool = createPool(configuration, services, (line) => lines.push(line), 0);
  const requests: Measurement[][] = [];
  try {
    for (let request = 0; request < REQUESTS; request += 1) {
      const reply = await pool.invoke(eventOf(apiKey, request));
      if (reply.kind !== 'reply') throw new Error(`the function did not answer: ${JSON.stringify(reply)}`);
      await buffer(reply.body);
      requests.push(await measured(() => lines));
      lines = [];
    }
    return requests;
  } finally {
    await pool.close();
  }
}

/** The line of the run comes last: it is waited for, as the answer is sent before. */
async function measured(linesOf: () => readonly string[]): Promise<Measurement[]> {
  for (;;) {
    const all = linesOf().flatMap(parseEmbeddedMetrics);
    if (all.some(({ name }) => name === 'RunTime')) return all;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The code of the function with a defect, bundled as that of a release is. */
async function withDefect({ codeFolder }: FunctionConfiguration, defect: Defect): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-release-'));
  const plugin: Plugin = {
    name: 'defect',
    setup: ({ onLoad }) =>
      onLoad({ filter: /lambdas\/rpc\/.*\.ts$/ }, ({ path }) => {
        if (path !== join(RPC, defect.file)) return undefined;
        const source = readFileSync(path, 'utf8');
        if (!source.includes(defect.text)) throw new Error(`${defect.file} has no ${defect.text}`);
        return { contents: source.replace(defect.text, defect.instead), loader: 'ts' as const };
      }),
  };
  const options = bundleOptions(join(RPC, 'index.ts'), join(folder, 'index.js'), [ACCESS_PACKAGE]);
  await build({ ...options, plugins: [plugin] });
  cpSync(codeFolder, folder, { recursive: true, force: false });
  return folder;
}

function eventOf(apiKey: string, request: number): object {
  return {
    resource: '/v1',
    path: '/v1/',
    httpMethod: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    pathParameters: null,
    queryStringParameters: null,
    requestContext: { requestId: `request-${request}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBalance',
      params: [address(request), 'latest'],
    }),
    isBase64Encoded: false,
  };
}

/** Another one each time, so that none is answered from memory. */
function address(request: number): string {
  return `0x${request.toString(16).padStart(40, '0')}`;
}
