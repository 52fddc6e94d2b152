import { rmSync } from 'node:fs';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { MAX_GRANTED_CU } from '../../lambdas/accounts/account-records.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { loadStageSettings, STAGE_SETTINGS_FILE } from '../../lambdas/shared/runtime/settings.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { localClientConfig } from '../../local/client-config.ts';
import { type FunctionConfiguration, readFunctions } from '../../local/functions/configuration.ts';
import { synthesised } from '../../local/synthesis.ts';
import { createTables } from '../../local/tables.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver, LOCAL_REGION, type Resolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { startDynoxide } from '../../test/emulators/dynoxide.ts';
import { benchStage, CHAIN, chainsAt, WIDE_PLAN } from '../stage.ts';

/** The embedded store shares the machine with all that is measured: it is never abandoned. */
const PATIENT_MS = 60_000;
/** No program listens there: no charge of a benchmark is uncertain. */
const QUEUE_URL = 'http://127.0.0.1:9';
/** The emulator asks for none. */
const ANY_ACCESS_KEY = 'bench';
const ACCOUNT = 'bench';

/** How requests are metered. */
export interface MeteringMode {
  readonly name: string;
  /** Most compute units that an instance holds back; 0: each charge is stored. */
  readonly groupCommitCu: number;
  /** Whether a busy key draws its bucket for several requests at once. */
  readonly drawAhead: boolean;
}

/** The mode of a stage that sets none. */
export const EACH_STORED: MeteringMode = { name: 'each stored', groupCommitCu: 0, drawAhead: false };
export const GROUPS_AHEAD: MeteringMode = {
  name: 'groups, draw-ahead',
  groupCommitCu: 100_000,
  drawAhead: true,
};

/** In what a function differs from the one that was synthesised. */
export interface FunctionChanges {
  /** @default EACH_STORED */
  readonly mode?: MeteringMode;
  /** @default the stage's node */
  readonly nodeUrl?: string;
  /** @default the emulator itself */
  readonly dynamodbUrl?: string;
}

/** The synthesised stack of a stage whose node is a stub, with its tables in an emulator of their own. */
export interface Stage {
  /** The JSON-RPC function. */
  readonly rpc: FunctionConfiguration;
  readonly dynamodbUrl: string;
  /** Environment of that function, as Lambda would set it. */
  environment(changes?: FunctionChanges): Promise<Readonly<Record<string, string>>>;
  /** Of the widest plan, with as much credit as there can be. */
  readonly apiKey: string;
  /** Stops the emulator. The folder of the stage goes with this process. */
  close(): Promise<void>;
}

/** In what the stage differs from those of other benchmarks: the node at this URL, and a plan of one metering mode. */
export function rpcStage(
  nodeUrl: string,
  { groupCommitCu, drawAhead }: MeteringMode = EACH_STORED,
): Partial<StageConfigInput> {
  return {
    chains: chainsAt({ [CHAIN]: nodeUrl }),
    plans: {
      [WIDE_PLAN]: { bucketCapacity: 1_000_000_000, refillPerSecond: 1_000_000_000, shards: 1, drawAhead },
    },
    metering: { groupCommitCu },
    demo: { creditCu: MAX_GRANTED_CU },
  };
}

/** Synthesises the stage and makes its tables. */
export async function openStage(nodeUrl: string): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const dynamodb = await startDynoxide();
  const { rpc, tableNames } = await deploy(nodeUrl, folder, dynamodb.endpoint);
  const store = createDynamoStore({
    tableNames,
    clientConfig: localClientConfig(dynamodb.endpoint, ANY_ACCESS_KEY),
    connectTimeoutMs: PATIENT_MS,
    requestTimeoutMs: PATIENT_MS,
  });
  const credit = { cu: MAX_GRANTED_CU, reference: ACCOUNT };
  await createAccount(store, systemClock, { account: ACCOUNT, plan: WIDE_PLAN, credit });
  return {
    rpc,
    dynamodbUrl: dynamodb.endpoint,
    async environment(changes = {}) {
      const codeFolder = await mkdtemp(join(folder, 'function-'));
      await cp(rpc.codeFolder, codeFolder, { recursive: true });
      await writeFile(join(codeFolder, STAGE_SETTINGS_FILE), changedSettings(rpc, changes));
      return environmentOf({ ...rpc, codeFolder }, changes.dynamodbUrl ?? dynamodb.endpoint);
    },
    apiKey: (await createKey(store, systemClock, { account: ACCOUNT })).api_key,
    close: dynamodb.close,
  };
}

/** The settings of the stage, as text, with those of a mode and with another node. */
function changedSettings(
  { codeFolder }: FunctionConfiguration,
  { mode = EACH_STORED, nodeUrl }: FunctionChanges,
): string {
  const settings = loadStageSettings(codeFolder);
  const plans = Object.entries(settings.plans).map(([name, plan]) => [
    name,
    { ...plan, drawAhead: mode.drawAhead },
  ]);
  return JSON.stringify({
    ...settings,
    plans: Object.fromEntries(plans),
    metering: { ...settings.metering, groupCommitCu: mode.groupCommitCu },
    chains: settings.chains.map((chain) => ({ ...chain, ...(nodeUrl && { upstreams: [nodeUrl] }) })),
  });
}

async function deploy(nodeUrl: string, folder: string, dynamodbUrl: string) {
  const configPath = join(folder, 'stage.json');
  await writeFile(configPath, JSON.stringify(benchStage(rpcStage(nodeUrl))));
  const assembly = await synthesised(configPath, join(folder, 'assembly'));
  const template = loadTemplate(assembly.folder, assembly.stackName);
  const resolve = createResolver(template, { attribute: createAttributes(template, QUEUE_URL) });
  await createTables(template, resolve, localClientConfig(dynamodbUrl, ANY_ACCESS_KEY));
  const functions = [...readFunctions(template, resolve).values()];
  const rpc = functions.find(({ logicalId }) => logicalId.startsWith('FunctionsRpc'));
  if (rpc === undefined) throw new Error('the stack has no JSON-RPC function');
  return { rpc, tableNames: tableNamesOf(resolve, template.outputs) };
}

function tableNamesOf(resolve: Resolver, outputs: Readonly<Record<string, unknown>>) {
  const name = (output: string) => String(resolve(outputs[output]));
  return {
    keys: name('KeysTableName'),
    accounts: name('AccountsTableName'),
    lanes: name('LanesTableName'),
    unsettled: name('UnsettledTableName'),
    balances: name('BalancesTableName'),
    ledger: name('LedgerTableName'),
  };
}

function environmentOf(rpc: FunctionConfiguration, dynamodbUrl: string): Record<string, string> {
  return {
    ...rpc.variables,
    AWS_ACCESS_KEY_ID: ANY_ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: LOCAL_REGION,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbUrl,
    LAMBDA_TASK_ROOT: rpc.codeFolder,
    NODE_PATH: rpc.moduleFolders.join(':'),
    TZ: 'UTC',
  };
}
