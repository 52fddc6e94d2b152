import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFile } from '../../lib/config/stage-files.ts';
import { synthesised } from '../../local/synthesis.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { type CountedOperations, countOperations } from './count-operations.ts';
import { readStageResources, type StageResources } from './stage-resources.ts';

const FILE = join(import.meta.dirname, 'counted-operations.json');
/** The stage whose resources are on the bill: functions of production size, alarms, firewall. */
export const BILLED_STAGE = 'example-production';
const REQUESTS_OF_EACH_KIND = 20;
const INDENT = 2;

/** The counts from which the bill is made. */
export interface CountedFile {
  readonly resources: StageResources;
  readonly counted: CountedOperations;
}

/** Reads what was counted last. */
export function readCountedFile(): CountedFile {
  return JSON.parse(readFileSync(FILE, 'utf8')) as CountedFile;
}

/** Counts again, and keeps it. */
export async function recount(): Promise<CountedFile> {
  const resources = await synthesiseResources();
  const counted = await countOperations(REQUESTS_OF_EACH_KIND, true);
  const file = { resources, counted };
  writeFileSync(FILE, `${JSON.stringify(file, undefined, INDENT)}\n`);
  return file;
}

/** Synthesises the stage that is billed, and reads what it has. */
async function synthesiseResources(): Promise<StageResources> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-cost-'));
  try {
    const { stackName } = await synthesised(stageFile(BILLED_STAGE), join(folder, 'assembly'));
    return readStageResources(loadTemplate(join(folder, 'assembly'), stackName));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
