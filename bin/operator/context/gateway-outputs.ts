import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { withRetry } from '../../../lambdas/shared/runtime/with-retry.ts';
import { ASK_AGAIN, connectAws } from './ask-aws.ts';
import { describeStack } from './stack.ts';

/** The outputs of a deployed gateway that the operator needs. */
export interface GatewayOutputs {
  readonly tableNames: Readonly<Record<Table, string>>;
  readonly plans: readonly string[];
  /** Partitions of an account's lanes, by its plan. */
  readonly shards: Readonly<Record<string, number>>;
  readonly defaultPlan: string;
  /** Most compute units that one process holds back before it stores them. */
  readonly groupCommitCu: number;
  readonly releases: ReleaseOutputs;
  /** Absent if the gateway indexes no chain. */
  readonly indexing?: IndexingOutputs;
  readonly buckets: Buckets;
  /** Key of KMS that signs the heads. */
  readonly headKeyArn: string;
  /** Secret with the key of receipts. */
  readonly issuerSecretArn: string;
  readonly cache: { readonly tableName: string; readonly chains: readonly string[] };
}

/** What releases change. */
export interface ReleaseOutputs {
  readonly functions: readonly LiveFunction[];
  /** Application of CodeDeploy; undefined: the stage has no canary. */
  readonly application: string | undefined;
}

/** A function behind the API, whose alias `live` is what the API calls. */
export interface LiveFunction {
  /** Such as `rpc`. */
  readonly name: string;
  /** Its name in AWS. */
  readonly functionName: string;
}

/** Names of buckets. */
export interface Buckets {
  /** The bucket of the lanes that settlement has added up. */
  readonly evidence: string;
  /** Signed heads. */
  readonly heads: string;
}

/** Where the indexed chains are. */
interface IndexingOutputs {
  readonly backfillQueueUrl: string;
  readonly databaseArn: string;
  readonly databaseName: string;
  readonly readerSecretArn: string;
  readonly blockFilesBucket: string;
}

/** Reads the outputs of the stack. Throws {@link InputError} if one is missing: then it is another stack. */
export function gatewayOutputs(outputs: Readonly<Record<string, unknown>>, source: string): GatewayOutputs {
  const output = (name: string): string => {
    const value = outputs[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new InputError(`${source} has no output ${name}: it is not a gateway, or is of another version`);
  };
  const tableNames = {
    keys: output('KeysTableName'),
    accounts: output('AccountsTableName'),
    lanes: output('LanesTableName'),
    unsettled: output('UnsettledTableName'),
    balances: output('BalancesTableName'),
    ledger: output('LedgerTableName'),
  };
  const plans = output('PlanNames').split(',');
  const shards = output('PlanShards').split(',').map(Number);
  return {
    tableNames,
    plans,
    shards: Object.fromEntries(plans.map((plan, index) => [plan, shards[index] ?? 1])),
    defaultPlan: output('DefaultPlan'),
    groupCommitCu: Number(output('GroupCommitCu')),
    buckets: { evidence: output('EvidenceBucketName'), heads: output('HeadsBucketName') },
    headKeyArn: output('HeadKeyArn'),
    issuerSecretArn: output('IssuerSecretArn'),
    cache: { tableName: output('CacheTableName'), chains: output('ChainNames').split(',') },
    releases: {
      functions: output('LiveFunctions').split(',').map(liveFunction),
      application: outputs.ReleaseApplication === undefined ? undefined : output('ReleaseApplication'),
    },
    ...(outputs.BackfillQueueUrl !== undefined && {
      indexing: {
        backfillQueueUrl: output('BackfillQueueUrl'),
        databaseArn: output('ChainDatabaseArn'),
        databaseName: output('ChainDatabaseName'),
        readerSecretArn: output('ChainDatabaseReaderSecretArn'),
        blockFilesBucket: output('BlockFilesBucketName'),
      },
    }),
  };
}

/** Of `rpc=gateway-production-FunctionsRpc…`. */
function liveFunction(text: string): LiveFunction {
  const [name = '', functionName = ''] = text.split('=');
  return { name, functionName };
}

/** A stack in AWS, and how its services are reached: as the SDK finds region and credentials on this machine. */
interface DeployedStack {
  readonly outputs: GatewayOutputs;
  readonly clientConfig: Required<Omit<ClientConfig, 'endpoint'>>;
}

/** Reads the outputs of a stack in AWS. Rejects with {@link InputError} if there is no such stack. */
export async function readStack(stack: string, asked: string | undefined): Promise<DeployedStack> {
  // It sends nothing: it knows where the SDK looks for region and credentials.
  const { config } = new DynamoDBClient(asked === undefined ? {} : { region: asked });
  const region = await config.region().catch(() => {
    throw new InputError('no region: give --region, or set AWS_REGION');
  });
  const clientConfig = { region, credentials: config.credentials };
  const place = { ask: connectAws(clientConfig), region };
  const found = await withRetry(() => describeStack(place, stack), ASK_AGAIN);
  if (found === undefined) throw new InputError(`there is no stack ${stack} in ${region}`);
  return { outputs: gatewayOutputs(found.outputs, `stack ${stack}`), clientConfig };
}
