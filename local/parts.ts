import { join } from 'node:path';
import { hasEmbeddedUpstream } from '../lib/config/upstream-reference.ts';
import { type DatabasePart, startDatabase } from './database/database-part.ts';
import { prepareDemoChains } from './demo-chain/prepare.ts';
import { type StartedFunctions, startLambdaEndpoint } from './functions/functions.ts';
import { type LocalKeys, startKmsEndpoint } from './keys/kms-endpoint.ts';
import { startS3Endpoint } from './objects/s3-endpoint.ts';
import { allOf } from './processes/all-of.ts';
import { startDynamoDb } from './processes/dynamodb.ts';
import type { EmbeddedProcess } from './processes/embedded-process.ts';
import type { GuardedProcess } from './processes/guarded.ts';
import type { LocalServer } from './processes/listen-locally.ts';
import type { RunContext } from './run-context.ts';
import { type SecretsPart, startSecrets } from './secrets/secrets-part.ts';
import type { Queue } from './triggers/queue.ts';
import { type SqsEndpoint, startSqsEndpoint } from './triggers/sqs-endpoint.ts';
import { startNodes } from './upstreams.ts';

/** The parts of a run that its functions call, each on a port of its own. */
export interface Parts {
  readonly dynamodb: GuardedProcess;
  /** The chain database, if the stage has one. */
  readonly database: DatabasePart | undefined;
  /** The embedded nodes by chain. */
  readonly nodes: ReadonlyMap<string, GuardedProcess>;
  readonly sqs: SqsEndpoint;
  readonly kms: LocalServer;
  /** The keys that `kms` has; to be filled once the template is known. */
  readonly keys: LocalKeys;
  readonly lambda: LocalServer;
  /** The functions that `lambda` starts; to be filled once the template is known. */
  readonly started: StartedFunctions;
  readonly secrets: SecretsPart;
  readonly s3: LocalServer;
  /** The buckets that `s3` serves; to be filled once the template is known. */
  readonly buckets: Set<string>;
  /** The queues that `sqs` serves, by name; to be filled once its URL is known to the template. */
  readonly queues: Map<string, Queue>;
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Starts the embedded parts, all at the same time. */
export async function startParts(context: RunContext): Promise<Parts> {
  const { options, config, folder, closers, accessKeyId, step } = context;
  const queues = new Map<string, Queue>();
  const buckets = new Set<string>();
  const keys: LocalKeys = new Map();
  const started: StartedFunctions = new Map();
  const secrets = await startSecrets(join(folder.database, 'secrets.json'), accessKeyId);
  closers.add(secrets.close);
  const closing = async <Part>(starting: Promise<Part>, end: (part: Part) => Promise<void>) => {
    const part = await starting;
    closers.add(() => end(part));
    return part;
  };
  const close = (server: LocalServer) => server.close();
  const [dynamodb, database, nodes, sqs, s3, kms, lambda] = await allOf([
    step('DynamoDB', () =>
      closing(startDynamoDb(folder.dynamodb, options.dynamodb, accessKeyId, tell), ({ stop }) => stop()),
    ),
    config.database.enabled
      ? step('PostgreSQL', () =>
          startDatabase(folder, secrets.values, accessKeyId, {
            onStarted: (stop) => closers.add(stop),
            tell,
          }),
        )
      : undefined,
    startChains(context),
    closing(startSqsEndpoint(queues, accessKeyId), close),
    closing(startS3Endpoint({ buckets, folder: folder.objects, accessKeyId }), close),
    closing(startKmsEndpoint(keys, accessKeyId), close),
    closing(startLambdaEndpoint(started, accessKeyId), close),
  ]);
  return { dynamodb, database, nodes, sqs, queues, s3, buckets, kms, keys, lambda, started, secrets };
}

/** Starts the embedded nodes, on the demo chain if a stage wants it and they have none yet. */
async function startChains(context: RunContext): Promise<Parts['nodes']> {
  const { config, folder, clock, closers, step, life } = context;
  if (config.demo.chainActivity)
    await step('Demo chain', () => prepareDemoChains(config, folder.chains, clock));
  if (!config.chains.some(hasEmbeddedUpstream)) return new Map();
  return step('EVM node', () =>
    startNodes(config, {
      folder: folder.chains,
      onStarted: (node) => closers.add(node.stop),
      tell,
      ownBlocks: (chain) => life.ownBlocks.get(chain) ?? 0,
    }),
  );
}

/** The parts that are processes. */
export function processesOf({ dynamodb, database, nodes }: Parts): EmbeddedProcess[] {
  return [dynamodb, ...(database === undefined ? [] : [database.postgres.process]), ...nodes.values()];
}
