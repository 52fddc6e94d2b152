import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import type { LiveFunction } from '../release/release-access.ts';

/** The outputs of a deployed gateway that the operator needs. */
export interface GatewayOutputs {
  readonly tableNames: Readonly<Record<Table, string>>;
  readonly plans: readonly string[];
  /** Partitions of an account's lanes, by its plan. */
  readonly shards: Readonly<Record<string, number>>;
  readonly defaultPlan: string;
  /** Most compute units that one process holds back before it stores them. */
  readonly groupCommitCu: number;
  /** Absent in the outputs of a gateway that was deployed before versions were kept. */
  readonly releases?: ReleaseOutputs;
  /** Absent if the gateway indexes no chain. */
  readonly indexing?: IndexingOutputs;
  /** Absent in the outputs of a gateway that was deployed before they were told. */
  readonly buckets?: Buckets;
  /** Key of KMS that signs the heads. Absent as the buckets are. */
  readonly headKeyArn?: string;
  /** Secret with the key of receipts. Absent in the outputs of a gateway that was deployed before it signed any. */
  readonly issuerSecretArn?: string;
  /** Absent in the outputs of a gateway that was deployed before they were told. */
  readonly cache?: { readonly tableName: string; readonly chains: readonly string[] };
}

/** Names of buckets. */
export interface Buckets {
  /** The bucket of the lanes that settlement has added up. */
  readonly evidence: string;
  /** Signed heads. */
  readonly heads: string;
}

/** The functions behind the API, by what they are called in AWS. */
interface ReleaseOutputs {
  readonly functions: readonly LiveFunction[];
  /** Application of CodeDeploy; undefined: the stage has no canary. */
  readonly application: string | undefined;
}

/** Where the indexed chains are. */
interface IndexingOutputs {
  readonly backfillQueueUrl: string;
  readonly databaseArn: string;
  readonly databaseName: string;
  readonly readerSecretArn: string;
  /** Absent in the outputs of a gateway that was deployed before it took files. */
  readonly blockFilesBucket?: string;
}

/** Reads the outputs of the stack. Throws {@link InputError} if one is missing: then it is another stack. */
export function gatewayOutputs(outputs: Readonly<Record<string, unknown>>, source: string): GatewayOutputs {
  const output = (name: string): string => {
    const value = outputs[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new InputError(`${source} has no output ${name}: it is not a gateway, or is an older version`);
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
    ...(outputs.EvidenceBucketName !== undefined && {
      buckets: { evidence: output('EvidenceBucketName'), heads: output('HeadsBucketName') },
      headKeyArn: output('HeadKeyArn'),
    }),
    ...(outputs.IssuerSecretArn !== undefined && { issuerSecretArn: output('IssuerSecretArn') }),
    ...(outputs.CacheTableName !== undefined && {
      cache: { tableName: output('CacheTableName'), chains: output('ChainNames').split(',') },
    }),
    ...(outputs.LiveFunctions !== undefined && {
      releases: {
        functions: output('LiveFunctions').split(',').map(liveFunction),
        application: outputs.ReleaseApplication === undefined ? undefined : output('ReleaseApplication'),
      },
    }),
    ...(outputs.BackfillQueueUrl !== undefined && {
      indexing: {
        backfillQueueUrl: output('BackfillQueueUrl'),
        databaseArn: output('ChainDatabaseArn'),
        databaseName: output('ChainDatabaseName'),
        readerSecretArn: output('ChainDatabaseReaderSecretArn'),
        ...(outputs.BlockFilesBucketName !== undefined && {
          blockFilesBucket: output('BlockFilesBucketName'),
        }),
      },
    }),
  };
}

/** Of `rpc=gateway-production-FunctionsRpc…`. */
function liveFunction(text: string): LiveFunction {
  const [name = '', functionName = ''] = text.split('=');
  return { name, functionName };
}
