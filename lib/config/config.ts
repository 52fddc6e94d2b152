import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { StageSettings } from '../../lambdas/shared/runtime/settings.ts';
import { describeProblem } from './config-problem.ts';
import { contradictions } from './contradictions.ts';
import { type StageConfig, stageConfig } from './stage-config.ts';

/** Concurrent executions of an account, as a rule and if it is new. */
const USUAL_CONCURRENCY = 1_000;
const LEAST_CONCURRENCY = 10;

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
  const result = checkedStageConfig.safeParse(content);
  if (result.success) return result.data;
  const lines = result.error.issues.flatMap(describeProblem).map((problem) => `${file}: ${problem}`);
  throw new StageConfigError(lines.join('\n'));
}

/**
 * Reads a stage file.
 * @throws {StageConfigError} if it cannot be read, is not JSON or says something wrong
 */
export function loadStageConfig(path: string): StageConfig {
  const fromHere = relative(process.cwd(), path);
  const file = fromHere.startsWith('..') ? path : fromHere;
  return parseStageConfig(readJson(path, file), file);
}

function readJson(path: string, file: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'cannot be read';
    throw new StageConfigError(`${file}: ${reason}`, { cause: error });
  }
}

/** What the functions are told of a stage. */
export function toStageSettings(config: StageConfig): StageSettings {
  const { stage, chains, plans, defaultPlan, metering, dataApi, upstreamTimeoutMs } = config;
  const { rpc, reserveConcurrency } = config.functions;
  const usual = reserveConcurrency ? USUAL_CONCURRENCY : LEAST_CONCURRENCY;
  const rpcConcurrency = rpc.reservedConcurrency ?? usual;
  return {
    ...{ stage, chains, plans, defaultPlan, metering, dataApi, upstreamTimeoutMs, rpcConcurrency },
    ...(config.clientAddress !== undefined && { clientAddress: config.clientAddress }),
    ...(config.tracing && { traced: true }),
    ...(config.metrics.byChain && { metricsByChain: true }),
  };
}
