import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assemblyKey } from './assembly-key.ts';
import { runToEnd } from './processes/run-to-end.ts';

const PROJECT = join(import.meta.dirname, '..');
const SCRIPT = join(import.meta.dirname, 'synthesise-stage.ts');
/** File of an assembly's folder with what it was made of. */
const RECORD = 'synthesised.json';

/** A stack, synthesised for a local run. */
export interface SynthesisedStage {
  /** Folder of the cloud assembly. */
  readonly folder: string;
  readonly stackName: string;
  /** Name of the template's parameter for the embedded node of each chain that has one. */
  readonly embeddedUpstreamParameters: Readonly<Record<string, string>>;
}

/** Synthesises a stage file into a folder. */
export type Synthesise = (configPath: string, folder: string) => Promise<SynthesisedStage>;

/** Sources of an assembly, and its result. */
interface AssemblyRecord {
  readonly key: string;
  readonly stage: Omit<SynthesisedStage, 'folder'>;
}

/**
 * Without the CDK's check of the template by the rules of CloudFormation, which takes as long as all the rest: it is for
 * what is deployed, and `cdk synth` and `cdk deploy` make it.
 */
const UNCHECKED = { CDK_VALIDATION: 'false' };

/**
 * The assembly of a stage file that is known to be right: the one that the last run left in a folder if nothing that it
 * was made of has changed, or else a new one there. One whose making was cut short has no record and is made anew.
 */
export async function synthesised(
  configPath: string,
  folder: string,
  synthesise: Synthesise = synthesiseApart,
): Promise<SynthesisedStage> {
  const key = assemblyKey(PROJECT, configPath);
  const record = join(folder, RECORD);
  const last = await readRecord(record);
  if (last?.key === key) return { ...last.stage, folder };
  await rm(folder, { recursive: true, force: true });
  const { folder: made, ...stage } = await synthesise(configPath, folder);
  await writeFile(`${record}.new`, JSON.stringify({ key, stage } satisfies AssemblyRecord));
  await rename(`${record}.new`, record);
  return { ...stage, folder: made };
}

async function readRecord(file: string): Promise<AssemblyRecord | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as AssemblyRecord);
}

/** A process of its own does it: CDK takes two seconds and half a gigabyte, neither of which the run should keep. */
async function synthesiseApart(configPath: string, folder: string): Promise<SynthesisedStage> {
  const stdout = await runToEnd({
    name: 'the synthesis',
    command: process.execPath,
    commandArguments: [SCRIPT, configPath, folder],
    variables: UNCHECKED,
  });
  return JSON.parse(stdout) as SynthesisedStage;
}
