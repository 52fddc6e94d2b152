import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import {
  HOSTED_FUNCTIONS,
  isOnInstances,
  loadDeployedConfig,
  StageConfigError,
} from '../../../lib/config/config.ts';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import { secretNames } from '../../../lib/config/upstream-reference.ts';
import { synthesised } from '../../../local/synthesis.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { resourcesOfType, type Template, type TemplateObject } from '../../../local/template/template.ts';
import { monthOfStage, type StageMonth } from '../../cost/stage-month.ts';
import { readStageResources } from '../../cost/stage-resources.ts';

/** What a stage file asks of an account. */
export interface StageFacts {
  readonly file: string;
  readonly config: StageConfig;
  readonly stackName: string;
  /** Concurrent executions of Lambda that its functions reserve. */
  readonly reserved: number;
  /** VPCs that it makes. */
  readonly vpcs: number;
  readonly month: StageMonth;
  /** Resources of its template, by their logical ids; those of nested stacks are not among them. */
  readonly resources: TemplateObject;
}

/**
 * Reads a stage file and synthesises it.
 * @throws {InputError} if it cannot be used, or has placeholders
 */
export async function readStageFacts(file: string, requestsPerDay?: number): Promise<StageFacts> {
  const config = readDeployed(file);
  const folder = await mkdtemp(join(tmpdir(), 'gateway-stage-'));
  try {
    const assembly = join(folder, 'assembly');
    const { stackName } = await synthesised(file, assembly);
    const template = loadTemplate(assembly, stackName);
    return {
      file,
      config,
      stackName,
      reserved: reservedBy(template),
      vpcs: vpcsOf(config),
      resources: JSON.parse(await readFile(join(assembly, `${stackName}.template.json`), 'utf8')).Resources,
      month: monthOfStage(config, readStageResources(template), requestsPerDay),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names of the secrets of a stage with the URLs and headers of its nodes, each once. */
export function secretsOf({ chains }: StageConfig): string[] {
  return [...new Set(chains.flatMap(({ upstreams }) => upstreams.flatMap(secretNames)))];
}

function readDeployed(file: string): StageConfig {
  try {
    return loadDeployedConfig(file, undefined);
  } catch (error) {
    if (error instanceof StageConfigError) throw new InputError(error.message.replaceAll('\n', '; '));
    throw error;
  }
}

function reservedBy(template: Template): number {
  return resourcesOfType(template, 'AWS::Lambda::Function').reduce(
    (sum, { properties }) => sum + Number(properties.ReservedConcurrentExecutions ?? 0),
    0,
  );
}

function vpcsOf(config: StageConfig): number {
  const hasInstances = HOSTED_FUNCTIONS.some((name) => isOnInstances(config, name));
  return (config.database.enabled ? 1 : 0) + (hasInstances ? 1 : 0);
}
