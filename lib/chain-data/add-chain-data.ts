import type { Stack } from 'aws-cdk-lib';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StageConfig } from '../config/stage-config.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { SharedResponses } from '../functions/response-cache.ts';
import { ChainCluster } from './chain-database.ts';
import type { ChainStacks } from './chain-stacks.ts';
import { Indexing } from './indexing.ts';
import { Migrations } from './migrations.ts';
import { Snapshots } from './snapshots.ts';

interface ChainDataProps {
  readonly config: StageConfig;
  readonly functions: ServiceFunctions;
  /** Where the indexed heads are kept on record. */
  readonly records: SharedResponses;
  readonly chainStacks: ChainStacks;
}

/** The parts of a stage's chain data that the rest of the stack needs. */
export interface ChainData {
  readonly cluster: DatabaseCluster;
  /** Outputs of the stack, by their names. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Work that failed for good; none if nothing is indexed. */
  readonly deadLetters: { readonly FailedIndexing?: Queue; readonly FailedRollups?: Queue };
}

/** Adds the chain database, the functions that read it and, where the stage indexes, those that fill it. */
export function addChainData(
  stack: Stack,
  { config, functions, records, chainStacks }: ChainDataProps,
): ChainData {
  const database = new ChainCluster(stack, 'ChainDatabase', { config });
  const { cluster } = database;
  const { layer } = functions;
  const migrations = new Migrations(stack, 'Migrations', { config, database, layer });
  for (const reader of [functions.data, functions.mcp]) {
    database.grantAccess(reader, 'reader');
    database.grantAnswerKey(reader);
  }
  const outputs = { MigrateFunctionName: migrations.service.lambda.functionName };
  if (!config.indexing.enabled) return { cluster, outputs, deadLetters: {} };
  const indexing = new Indexing(stack, 'Indexing', { config, functions, database, records, chainStacks });
  new Snapshots(stack, 'Snapshots', { config, functions, database, records });
  return {
    cluster,
    outputs: { ...outputs, ...indexing.outputs },
    deadLetters: { FailedIndexing: indexing.deadLetters, FailedRollups: indexing.failedRollups },
  };
}
