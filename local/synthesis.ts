import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'synthesise-stage.ts');
const TIMEOUT_MS = 120_000;

/** A stack, synthesised for a local run. */
export interface SynthesisedStage {
  /** Folder of the cloud assembly. */
  readonly folder: string;
  readonly stackName: string;
  /** Name of the template's parameter for the embedded node of each chain that has one. */
  readonly embeddedUpstreamParameters: Readonly<Record<string, string>>;
}

/**
 * Without the CDK's check of the template by the rules of CloudFormation, which takes as long as all the rest: it is for
 * what is deployed, and `cdk synth` and `cdk deploy` make it.
 */
const UNCHECKED = { CDK_VALIDATION: 'false' };

/**
 * Synthesises a stage file that is known to be right into a folder, which it empties first. A process of its own does it:
 * CDK takes two seconds and half a gigabyte, neither of which the run should wait for or keep.
 */
export async function synthesiseApart(configPath: string, folder: string): Promise<SynthesisedStage> {
  await rm(folder, { recursive: true, force: true });
  const synthesis = promisify(execFile)(process.execPath, [SCRIPT, configPath, folder], {
    timeout: TIMEOUT_MS,
    env: { ...process.env, ...UNCHECKED },
  });
  const kill = () => synthesis.child.kill();
  process.once('exit', kill);
  const { stdout } = await synthesis;
  process.off('exit', kill);
  return JSON.parse(stdout) as SynthesisedStage;
}
