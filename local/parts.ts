import { type DatabasePart, startDatabase } from './database/database-part.ts';
import { prepareDemoChains } from './demo-chain/prepare.ts';
import { startDynamoDb } from './processes/dynamodb.ts';
import type { EmbeddedProcess } from './processes/embedded-process.ts';
import type { RunContext } from './run-context.ts';
import type { Queue } from './triggers/queue.ts';
import { type SqsEndpoint, startSqsEndpoint } from './triggers/sqs-endpoint.ts';
import { startNodes } from './upstreams.ts';

/** The parts of a run that its functions call, each on a port of its own. */
export interface Parts {
  readonly dynamodb: EmbeddedProcess;
  /** The chain database, if the stage has one. */
  readonly database: DatabasePart | undefined;
  /** The embedded nodes by chain. */
  readonly nodes: ReadonlyMap<string, EmbeddedProcess>;
  readonly sqs: SqsEndpoint;
  /** The queues that `sqs` serves, by name; to be filled once its URL is known to the template. */
  readonly queues: Map<string, Queue>;
}

/** Starts the embedded parts. */
export async function startParts({ options, config, folder, clock, closers }: RunContext): Promise<Parts> {
  const dynamodb = await startDynamoDb(folder.dynamodb, options.dynamodb);
  closers.add(dynamodb.stop);
  const database = config.database.enabled
    ? await startDatabase(folder.database, (stop) => closers.add(stop))
    : undefined;
  if (config.demo.chainActivity) await prepareDemoChains(config, folder.chains, clock);
  const nodes = await startNodes(
    config,
    folder.chains,
    (node) => closers.add(node.stop),
    (line) => process.stdout.write(`${line}\n`),
  );
  const queues = new Map<string, Queue>();
  const sqs = await startSqsEndpoint(queues);
  closers.add(sqs.close);
  return { dynamodb, database, nodes, sqs, queues };
}

/** The parts that are processes. */
export function processesOf({ dynamodb, database, nodes }: Parts): EmbeddedProcess[] {
  return [dynamodb, ...(database === undefined ? [] : [database.postgres.process]), ...nodes.values()];
}
