import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Meter } from '../../lambdas/access/contract/metering.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { MAX_GRANTED_CU } from '../../lambdas/accounts/account-records.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { type Clock, systemClock } from '../../lambdas/shared/runtime/clock.ts';
import {
  loadStageSettings,
  STAGE_SETTINGS_FILE,
  type StageSettings,
} from '../../lambdas/shared/runtime/settings.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { localClientConfig } from '../../local/client-config.ts';
import { type FunctionConfiguration, readFunctions } from '../../local/functions/configuration.ts';
import { synthesised } from '../../local/synthesis.ts';
import { createTables } from '../../local/tables.ts';
import { createAttributes } from '../../local/template/attributes.ts';
import { createResolver, LOCAL_REGION, type Resolver } from '../../local/template/intrinsics.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { type ConsumedUnits, connectCounted } from '../../test/emulators/consumed-units.ts';
import { startDynoxide } from '../../test/emulators/dynoxide.ts';
import { benchStage, CHAIN, chainsAt, WIDE_PLAN } from '../stage.ts';

/** Plan whose bucket holds one request of {@link NARROW_CAPACITY_CU} and stays empty after it. */
export const NARROW_PLAN = 'narrow';
export const NARROW_CAPACITY_CU = 1_000;
/** Plan whose bucket is drawn from faster than it fills, and never empties. */
export const DEEP_PLAN = 'deep';
/** The embedded store shares the machine with all that is measured: it is never given up. */
const PATIENT_MS = 60_000;
/** No program listens there: no charge of a benchmark is uncertain. */
const QUEUE_URL = 'http://127.0.0.1:9';

/** The emulator asks for none. */
const ANY_ACCESS_KEY = 'bench';

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
export const GROUPS: MeteringMode = { name: 'groups', groupCommitCu: 100_000, drawAhead: false };
export const GROUPS_AHEAD: MeteringMode = {
  name: 'groups, draw-ahead',
  groupCommitCu: 100_000,
  drawAhead: true,
};

/** A meter as one more instance of a function has it. */
interface MeterOptions {
  /** @default EACH_STORED */
  readonly mode?: MeteringMode;
  /** @default the machine's clock */
  readonly clock?: Clock;
  readonly onCapacity?: (units: ConsumedUnits) => void;
}

/** In what a function differs from the one that was synthesised. */
interface FunctionChanges {
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
  readonly store: Store;
  readonly dynamodbUrl: string;
  /** Environment of that function, as Lambda would set it. */
  environment(changes?: FunctionChanges): Promise<Readonly<Record<string, string>>>;
  newMeter(options?: MeterOptions): Meter;
  /** Makes an account with this credit and a key for it; returns the key. */
  newKey(account: string, plan: string, creditCu?: number): Promise<string>;
  /** Stops the emulator. The folder of the stage goes with this process. */
  close(): Promise<void>;
}

/** What the stage has that differs from those of other benchmarks: the node at this URL, and plans of one metering mode. */
export function rpcStage(
  nodeUrl: string,
  { groupCommitCu, drawAhead }: MeteringMode = EACH_STORED,
): Partial<StageConfigInput> {
  const deep = { bucketCapacity: 1_000_000_000, drawAhead };
  return {
    chains: chainsAt({ [CHAIN]: nodeUrl }),
    plans: {
      [WIDE_PLAN]: { ...deep, refillPerSecond: 1_000_000_000, shards: 1 },
      [NARROW_PLAN]: { bucketCapacity: NARROW_CAPACITY_CU, refillPerSecond: 1, drawAhead },
      [DEEP_PLAN]: { ...deep, refillPerSecond: 1 },
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
  const settings = loadStageSettings(rpc.codeFolder);
  const openStore = (onCapacity?: (units: ConsumedUnits) => void) =>
    createDynamoStore({
      tableNames,
      clientConfig: localClientConfig(dynamodb.endpoint, ANY_ACCESS_KEY),
      connectTimeoutMs: PATIENT_MS,
      requestTimeoutMs: PATIENT_MS,
      ...(onCapacity && { connect: connectCounted(onCapacity) }),
    });
  const store = openStore();
  const queue = { send: () => Promise.reject(new Error('a charge was not stored')) };
  return {
    rpc,
    store,
    dynamodbUrl: dynamodb.endpoint,
    async environment({ mode = EACH_STORED, nodeUrl: otherNode, dynamodbUrl = dynamodb.endpoint } = {}) {
      const codeFolder = await mkdtemp(join(folder, 'function-'));
      await cp(rpc.codeFolder, codeFolder, { recursive: true });
      const chains = settings.chains.map((chain) => ({
        ...chain,
        ...(otherNode && { upstreams: [otherNode] }),
      }));
      await writeFile(
        join(codeFolder, STAGE_SETTINGS_FILE),
        JSON.stringify({ ...settings, ...meteringOf(settings, mode), chains }),
      );
      return environmentOf({ ...rpc, codeFolder }, dynamodbUrl);
    },
    newMeter: ({ mode = EACH_STORED, clock = systemClock, onCapacity } = {}) =>
      createMeter({
        store: onCapacity === undefined ? store : openStore(onCapacity),
        queue,
        settings: { ...settings, ...meteringOf(settings, mode) },
        clock,
        randomBytes,
        pause: () => Promise.resolve(),
        telemetry: systemTelemetry,
      }),
    async newKey(account, plan, creditCu) {
      const credit = creditCu === undefined ? {} : { credit: { cu: creditCu, reference: 'bench' } };
      await createAccount(store, systemClock, { account, plan, ...credit });
      return (await createKey(store, systemClock, { account })).api_key;
    },
    close: dynamodb.close,
  };
}

/** The settings of a stage that a mode changes. */
function meteringOf(
  { plans, metering }: StageSettings,
  { groupCommitCu, drawAhead }: MeteringMode,
): Pick<StageSettings, 'plans' | 'metering'> {
  const drawn = Object.entries(plans).map(([name, plan]) => [name, { ...plan, drawAhead }]);
  return { plans: Object.fromEntries(drawn), metering: { ...metering, groupCommitCu } };
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
