import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { StageSettings } from '../../lambdas/shared/runtime/settings.ts';
import { describeProblem } from './config-problem.ts';
import { contradictions } from './contradictions.ts';
import { REQUESTS_PER_SHARED_ENVIRONMENT } from './function-config.ts';
import { placeholders } from './placeholders.ts';
import { withSizeDefaults } from './sizes.ts';
import { type StageConfig, stageConfig } from './stage-config.ts';
import { shadowsApart } from './upstream-reference.ts';

/** Concurrent executions of an account, as a rule and if it is new. */
const USUAL_CONCURRENCY = 1_000;
const LEAST_CONCURRENCY = 10;
/** Ends the refusal of placeholders. */
const HOW_TO_LOOK =
  'To see the template of such a stage, which cannot be deployed, add -c placeholders=allow';
/** Compute units that an environment of many requests may hold back if the stage file does not say: a second of a busy one. */
export const INSTANCE_GROUP_COMMIT_CU = 100_000;

const checkedStageConfig = stageConfig.superRefine((config, context) => {
  for (const { path, reason } of contradictions(config)) {
    context.addIssue({ code: 'custom', path: [...path], message: reason });
  }
});

/** A stage file cannot be used. The message has one line for each problem: file, path of the entry, reason. */
export class StageConfigError extends Error {
  override readonly name = 'StageConfigError';
}

/**
 * Checks the content of a stage file and fills in the defaults.
 * @param file name of the file, for the error
 * @throws {StageConfigError} with every problem
 */
export function parseStageConfig(content: unknown, file: string): StageConfig {
  const result = checkedStageConfig.safeParse(withSizeDefaults(content));
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap(describeProblem).map((problem) => `${file}: ${problem}`);
  throw new StageConfigError(lines.join('\n'));
}

/**
 * Reads a stage file.
 * @throws {StageConfigError} if it cannot be read, is not JSON or says something wrong
 */
export function loadStageConfig(path: string): StageConfig {
  const file = nameOf(path);
  return parseStageConfig(readJson(path, file), file);
}

/**
 * Reads a stage file that is to be deployed.
 * @param account the one to deploy to, if it is known
 * @throws {StageConfigError} as {@link loadStageConfig} does, and with every placeholder in it
 */
export function loadDeployedConfig(path: string, account: string | undefined): StageConfig {
  const config = loadStageConfig(path);
  const lines = placeholders(config, account).map((problem) => `${nameOf(path)}: ${problem}`);
  if (lines.length === 0) return config;
  throw new StageConfigError([...lines, HOW_TO_LOOK].join('\n'));
}

/** The name of a stage file in messages. */
function nameOf(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}

function readJson(path: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'cannot be read';
    throw new StageConfigError(`${file}: ${reason}`, { cause: error });
  }
}

/** Functions that can have many requests in one environment. */
export type HostedFunction = 'rpc' | 'data' | 'mcp';
export const HOSTED_FUNCTIONS: readonly HostedFunction[] = ['rpc', 'data', 'mcp'];

/** Whether a function runs on instances of the account. */
export function isOnInstances({ functions }: Pick<StageConfig, 'functions'>, name: HostedFunction): boolean {
  return functions[name].hosting === 'instances';
}

/** Chains that the stage indexes. */
export function indexedChains({
  indexing,
  chains,
}: Pick<StageConfig, 'indexing' | 'chains'>): StageConfig['chains'] {
  return indexing.enabled ? chains : [];
}

/**
 * Requests that a function can have under way at a time; undefined: what the account has left. An environment of an
 * event function has one, any other many.
 */
export function requestsAtOnce({ functions }: StageConfig, name: HostedFunction): number | undefined {
  const { environments, reservedConcurrency, hosting } = functions[name];
  if (hosting === 'event' || environments === undefined) return reservedConcurrency;
  return environments.max * REQUESTS_PER_SHARED_ENVIRONMENT;
}

/**
 * The settings of a stage that a function gets.
 * @param of the function, if how it is hosted matters to it: with many requests in one process charges are stored in groups and
 * buckets are drawn ahead, unless the stage file says otherwise
 */
export function toStageSettings(config: StageConfig, of?: HostedFunction): StageSettings {
  const { stage, chains, defaultPlan, dataApi, upstreamTimeoutMs } = config;
  const { reserveConcurrency } = config.functions;
  const usual = reserveConcurrency ? USUAL_CONCURRENCY : LEAST_CONCURRENCY;
  const rpcConcurrency = requestsAtOnce(config, 'rpc') ?? usual;
  const isShared = of !== undefined && config.functions[of].hosting !== 'event';
  const plans = Object.fromEntries(
    Object.entries(config.plans).map(([name, { drawAhead = isShared, ...plan }]) => [
      name,
      { ...plan, drawAhead },
    ]),
  );
  const { storeBeforeAnswer, groupCommitCu: asked } = config.metering;
  const groupCommitCu = asked ?? (isShared && !storeBeforeAnswer ? INSTANCE_GROUP_COMMIT_CU : 0);
  const metering = { ...config.metering, groupCommitCu };
  return {
    stage,
    chains: chains.map(shadowsApart),
    plans,
    defaultPlan,
    metering,
    dataApi,
    upstreamTimeoutMs,
    rpcConcurrency,
    ...(config.clientAddress !== undefined && { clientAddress: config.clientAddress }),
    ...(config.indexing.enabled && { batchMinutes: config.indexing.batchMinutes }),
  };
}

/** Most compute units that one instance of any function of a stage may hold back. */
export function mostHeldBackCu(config: StageConfig): number {
  const settings = HOSTED_FUNCTIONS.map((name) => toStageSettings(config, name));
  return Math.max(...settings.map(({ metering }) => metering.groupCommitCu));
}
