import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadStageConfig } from './config/config.ts';
import { GatewayStack } from './gateway-stack.ts';

const PROJECT = join(import.meta.dirname, '..');

/** A synthesised cloud assembly and the one stack in it. */
export interface Assembly {
  /** Folder with the template, the manifest and the assets. */
  readonly folder: string;
  readonly stackName: string;
}

/**
 * An app with the feature flags of `cdk.json`, however it is started. The tree of its constructs is not
 * written: nothing reads it, and writing it takes a sixth of a synthesis.
 * @param outdir folder of the assembly
 * @default - the one that the CDK CLI asks for
 */
export function createApp(outdir?: string): App {
  const { context } = JSON.parse(readFileSync(join(PROJECT, 'cdk.json'), 'utf8')) as {
    context: Record<string, unknown>;
  };
  return new App({
    context,
    analyticsReporting: false,
    treeMetadata: false,
    ...(outdir === undefined ? {} : { outdir }),
  });
}

/**
 * Synthesises the gateway of a stage file, with no network, no AWS account and no Docker.
 * @throws {StageConfigError} if the stage file cannot be used
 */
export function synthesiseStage(app: App, configPath: string): Assembly {
  const stack = new GatewayStack(app, { config: loadStageConfig(configPath) });
  return { folder: app.synth().directory, stackName: stack.stackName };
}

/**
 * {@link synthesiseStage} into a folder, in this process.
 * @throws {StageConfigError} if the stage file cannot be used
 */
export function synthesise(configPath: string, outdir: string): Assembly {
  return synthesiseStage(createApp(outdir), configPath);
}
