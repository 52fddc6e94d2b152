import { localClientConfig } from './client-config.ts';
import { parseEmbeddedMetrics } from './dashboard/embedded-metrics.ts';
import { measureFunctions } from './dashboard/measure-run.ts';
import { MetricStore } from './dashboard/metric-store.ts';
import { createFunctions, type Functions } from './functions/functions.ts';
import { openKeys } from './keys/kms-endpoint.ts';
import { giveIndexOrder } from './mend-index.ts';
import type { Parts } from './parts.ts';
import type { RunContext } from './run-context.ts';
import { withSecrets } from './secrets/secret-references.ts';
import type { SynthesisedStage } from './synthesis.ts';
import { createTables } from './tables.ts';
import { createAttributes } from './template/attributes.ts';
import { createResolver, type Resolver } from './template/intrinsics.ts';
import { loadTemplate } from './template/load-template.ts';
import { resourcesOfType, type Template } from './template/template.ts';
import { createCustomResources } from './triggers/custom-resources.ts';
import { startEventSources } from './triggers/event-sources.ts';
import { invokeOrFail } from './triggers/invoke-or-fail.ts';
import { createSchedules } from './triggers/schedules.ts';
import { openQueues } from './triggers/template-queues.ts';

const SCHEDULE_TICK_MS = 1_000;

/** The resources of a template, all of them running but its API. */
export interface Stack {
  readonly template: Template;
  readonly resolve: Resolver;
  /** The same, references to secrets included. */
  readonly resolveSecrets: Resolver;
  readonly functions: Functions;
  /** Metrics that the run measures, from its start. */
  readonly metrics: MetricStore;
  /** URL of the chain database for people, if there is one. */
  readonly databaseUrl: string | undefined;
}

/** Brings a synthesised template to life on the parts of a run: tables, queues, functions, and what triggers these. */
export async function startStack(
  context: RunContext,
  synthesised: SynthesisedStage,
  parts: Parts,
): Promise<Stack> {
  const { folder, clock, logs, closers, accessKeyId } = context;
  const template = loadTemplate(synthesised.folder, synthesised.stackName);
  const resolve = createResolver(template, {
    parameters: nodeParameters(synthesised, parts),
    attribute: createAttributes(template, parts.sqs.url),
  });
  await parts.secrets.open(template, resolve);
  const databaseUrl = await parts.database?.open(template, resolve);
  await createTables(template, resolve, localClientConfig(parts.dynamodb.url, accessKeyId));
  for (const [name, queue] of openQueues(template, resolve, folder.queues, clock))
    parts.queues.set(name, queue);
  for (const name of openBuckets(template, resolve)) parts.buckets.add(name);
  for (const [arn, key] of await openKeys(template, resolve, folder.keys)) parts.keys.set(arn, key);
  const metrics = new MetricStore(clock);
  const resolveSecrets = withSecrets(resolve, parts.secrets.values);
  const functions = createFunctions({
    template,
    resolver: resolveSecrets,
    accessKeyId,
    endpoints: {
      dynamodb: parts.dynamodb.hiddenUrl,
      sqs: parts.sqs.url,
      s3: parts.s3.url,
      kms: parts.kms.url,
      lambda: parts.lambda.url,
      secrets_manager: parts.secrets.url,
      ...parts.database?.endpoints,
    },
    onLog: (name: string, line: string) => {
      logs.write(name, line);
      for (const measurement of parseEmbeddedMetrics(line)) metrics.record(measurement);
    },
    onInvocation: measureFunctions(resolve, metrics, clock),
  });
  closers.add(functions.close);
  const stack = { template, resolve, resolveSecrets, functions, metrics, databaseUrl };
  const invoke = invokeOrFail(functions);
  await createCustomResources({ template, resolve, invoke });
  const { index } = context.options;
  if (index !== undefined) await giveIndexOrder(template, invoke, index);
  startTriggers(context, stack, parts);
  return stack;
}

function nodeParameters(synthesised: SynthesisedStage, { nodes }: Parts): Record<string, string> {
  const parameters = Object.entries(synthesised.embeddedUpstreamParameters);
  return Object.fromEntries(parameters.map(([chain, name]) => [name, nodes.get(chain)?.hiddenUrl ?? '']));
}

/** Starts what calls functions beside the API: queues and schedules. */
function startTriggers(
  { clock, logs, closers }: RunContext,
  { template, resolve, functions }: Stack,
  { queues, started }: Parts,
): void {
  const shared = {
    template,
    resolve,
    queues,
    invoke: invokeOrFail(functions),
    onFailure: (logicalId: string, error: unknown) => logs.write(logicalId, `delivery failed: ${error}`),
  };
  for (const { logicalId } of resourcesOfType(template, 'AWS::Lambda::Function'))
    started.set(String(resolve({ Ref: logicalId })), (event: object) => {
      shared.invoke(logicalId, event).catch((error: unknown) => shared.onFailure(logicalId, error));
    });
  const eventSources = startEventSources(shared);
  const schedules = createSchedules({ ...shared, clock });
  const ticking = setInterval(schedules.tick, SCHEDULE_TICK_MS);
  closers.add(async () => {
    clearInterval(ticking);
    // At the same time: while a long run is waited for, a message that comes is for the next start.
    await Promise.all([eventSources.close(), schedules.close()]);
  });
}

/** Names of the buckets of a template. */
function openBuckets(template: Template, resolve: Resolver): ReadonlySet<string> {
  return new Set(
    resourcesOfType(template, 'AWS::S3::Bucket').map(({ logicalId }) => String(resolve({ Ref: logicalId }))),
  );
}
