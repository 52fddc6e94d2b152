import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadDeployedConfig, loadStageConfig } from './config/config.ts';
import { GatewayStack } from './gateway-stack.ts';

/** Context by which a stage file with placeholders is synthesised, for those who do not deploy it. */
const ALLOWED_PLACEHOLDERS = { placeholders: 'allow' } as const;

const PROJECT = join(import.meta.dirname, '..');

/** A synthesised cloud assembly and the one stack in it. */
interface Assembly {
  /** Folder with the template, the manifest and the assets. */
  readonly folder: string;
  readonly stackName: string;
}

/**
 * An app with the feature flags of `cdk.json`, however it is started. The tree of its constructs is not
 * written: nothing reads it, and writing it takes a sixth of a synthesis.
 * @param outdir folder of the assembly
 * @default - the one that the CDK CLI asks for
 * @param more context beside those flags; what the CDK CLI passes wins
 */
export function createApp(outdir?: string, more: Readonly<Record<string, unknown>> = {}): App {
  const { context } = JSON.parse(readFileSync(join(PROJECT, 'cdk.json'), 'utf8')) as {
    context: Record<string, unknown>;
  };
  return new App({
    context: { ...context, ...more },
    analyticsReporting: false,
    treeMetadata: false,
    ...(outdir === undefined ? {} : { outdir }),
  });
}

/**
 * Synthesises the gateway of a stage file, with no network, no AWS account and no Docker.
 * @param account the one to deploy to, if it is known
 * @throws {StageConfigError} if the stage file cannot be used, or has placeholders and the context does not allow them
 */
export function synthesiseStage(app: App, configPath: string, account?: string): Assembly {
  const isToLookAt = app.node.tryGetContext('placeholders') === ALLOWED_PLACEHOLDERS.placeholders;
  const config = isToLookAt ? loadStageConfig(configPath) : loadDeployedConfig(configPath, account);
  const stack = new GatewayStack(app, { config });
  return { folder: app.synth().directory, stackName: stack.stackName };
}

/**
 * {@link synthesiseStage} into a folder, in this process, for a run on this machine or a test: placeholders are allowed.
 * @throws {StageConfigError} if the stage file cannot be used
 */
export function synthesise(configPath: string, outdir: string): Assembly {
  return synthesiseStage(createApp(outdir, ALLOWED_PLACEHOLDERS), configPath);
}
