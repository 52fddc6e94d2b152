import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
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
import { bundleOptions, IN_LAYER } from '../../lib/functions/bundle.ts';
import { type FunctionConfiguration, readFunctions } from '../../local/functions/configuration.ts';
import type { LocalServices } from '../../local/functions/environment-variables.ts';
import type { Resolver } from '../../local/template/intrinsics.ts';
import type { Template } from '../../local/template/template.ts';
import { startDynoxide } from '../emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';

const LAMBDAS = join(import.meta.dirname, '..', '..', 'lambdas');
/** The account whose key calls. */
export const ACCOUNT = 'acme';

/** Where a text of a source stands, and what another release has there. */
export interface Alteration {
  /** File below `lambdas/rpc`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

/** The JSON-RPC function of a stage, and the emulated store that all its versions share. */
export interface ReleaseStage {
  readonly store: Store;
  readonly services: LocalServices;
  readonly apiKey: string;
  /** A version of it, with the code of this one. */
  version(name: string): FunctionConfiguration;
  close(): Promise<void>;
}

/** Opens a store with an account and a key beside the function of a template. */
export async function openReleaseStage(template: Template, resolver: Resolver): Promise<ReleaseStage> {
  const emulator = await startDynoxide();
  const tableNames = await createMeteringTables(emulator.endpoint, 'release');
  const clientConfig = emulatorClientConfig(emulator.endpoint);
  const store = createDynamoStore({ tableNames, clientConfig });
  const credit = { cu: 1_000_000, reference: 'start' };
  await createAccount(store, systemClock, { account: ACCOUNT, plan: 'standard', credit });
  const { api_key: apiKey } = await createKey(store, systemClock, { account: ACCOUNT, label: 'one' });
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
    store,
    services: {
      endpoints: { dynamodb: emulator.endpoint },
      accessKeyId: clientConfig.credentials.accessKeyId,
    },
    apiKey,
    version: (version) => ({ ...rpc, variables, version }),
    close: () => emulator.close(),
  };
}

/** The code of the function with an alteration, bundled as that of a release is. The caller removes its folder. */
export async function withAlteredCode(
  configuration: FunctionConfiguration,
  alteration: Alteration,
): Promise<FunctionConfiguration> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-release-'));
  await bundleAltered(join(folder, 'index.js'), alteration);
  cpSync(configuration.codeFolder, folder, { recursive: true, force: false });
  return { ...configuration, codeFolder: folder };
}

async function bundleAltered(outfile: string, { file, text, instead }: Alteration): Promise<void> {
  const home = join(LAMBDAS, 'rpc');
  let isAltered = false;
  const plugin: Plugin = {
    name: 'alteration',
    setup: ({ onLoad }) =>
      onLoad({ filter: /lambdas\/.*\.ts$/ }, ({ path }) => {
        if (path !== join(home, file)) return undefined;
        const contents = readFileSync(path, 'utf8');
        if (!contents.includes(text)) throw new Error(`${file} has no ${text}`);
        isAltered = true;
        return { contents: contents.replace(text, instead), loader: 'ts' as const };
      }),
  };
  await build({ ...bundleOptions(join(home, 'index.ts'), outfile, IN_LAYER), plugins: [plugin] });
  if (!isAltered) throw new Error(`${file} is no part of the bundle`);
}

/** An event of API Gateway: a call that no earlier one answers from memory. */
export function eventOf(apiKey: string, request: number): object {
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
