import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variable with the folder that the test files of one run share. */
const RUN_FOLDER_VARIABLE = 'GATEWAY_TEST_RUN_FOLDER';
/** Variable of the CDK: whether it checks a template by the rules of CloudFormation as it synthesises it. */
export const CDK_VALIDATION_VARIABLE = 'CDK_VALIDATION';

/** The folder that the test files of this run share, for what is made once for all of them. */
export function runFolder(): string {
  const folder = process.env[RUN_FOLDER_VARIABLE];
  if (folder === undefined)
    throw new Error(`${RUN_FOLDER_VARIABLE} is not set: the run has no global set-up`);
  return folder;
}

/**
 * Makes the folder of a run. The processes that are started from now on know it, and keep there what Node.js compiles:
 * each module once in a run and not once in each process. The CDK checks no template by the rules of CloudFormation,
 * which takes as long as the synthesis: those of the stages that are shipped are checked once (synthesised-once.ts).
 */
export function openRunFolder(): void {
  const folder = mkdtempSync(join(tmpdir(), 'test-run-'));
  process.env[RUN_FOLDER_VARIABLE] = folder;
  process.env.NODE_COMPILE_CACHE = join(folder, 'compiled');
  process.env[CDK_VALIDATION_VARIABLE] = 'false';
}

export function removeRunFolder(): void {
  rmSync(runFolder(), { recursive: true, force: true });
}
