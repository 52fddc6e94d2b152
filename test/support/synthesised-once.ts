import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stageFile, stageNames } from '../../lib/config/stage-files.ts';
import type { synthesise } from '../../lib/synthesise.ts';
import { isAtLength } from './at-length.ts';
import { noteMade } from './figures/made-counts.ts';
import { madeOnce } from './made-once.ts';
import { CDK_VALIDATION_VARIABLE, KEPT_BUNDLES_VARIABLE } from './run-folder.ts';

type Assembly = ReturnType<typeof synthesise>;

const SCRIPT = join(import.meta.dirname, 'synthesise-stages.ts');
/** Shipped stages that this run synthesises; a quick one takes one that is kept and one that may be lost. */
export const STAGES = isAtLength ? stageNames() : ['example-production', 'local'];
/** Of the folder with the assemblies, which has their list. */
const LIST = 'assemblies.json';

/**
 * The cloud assembly of a stage that is shipped, synthesised once in a run: a process of its own does it for all of them,
 * which is three times as fast as the module system of the tests, and what each file that asks reads is the same.
 * @param synthesis which of them, for tests that compare two
 * @throws Error in a quick run for a stage that `STAGES` has not
 */
export function synthesisedOnce(stage: string, synthesis: 'first' | 'second' = 'first'): Assembly {
  const made = madeOnce(`stages-${synthesis}`, (into) => {
    mkdirSync(into);
    synthesiseStages(into, STAGES.map(stageFile), {
      // The second one, which deep tests ask for, is made from nothing, so that a bundle that is another each time is seen.
      [CDK_VALIDATION_VARIABLE]: String(synthesis === 'second'),
      ...(synthesis === 'second' && { [KEPT_BUNDLES_VARIABLE]: undefined }),
    });
  });
  const assembly = assembliesIn(made)[STAGES.indexOf(stage)];
  if (assembly === undefined) throw new Error(`no stage ${stage} is synthesised in this run`);
  return assembly;
}

/**
 * The cloud assemblies of stages with these contents of their stage files, by the name of the stage file. One process
 * makes them, one after the other: the second takes a quarter of the time of the first, which loads the CDK.
 * @throws Error in a quick run: tests of them are deep
 */
export function synthesisedTogether<Name extends string>(
  contents: Readonly<Record<Name, object>>,
): Readonly<Record<Name, Assembly>> {
  if (!isAtLength) throw new Error('a quick run synthesises no stage of a test: testAtLength');
  const hash = createHash('sha256').update(JSON.stringify(contents)).digest('hex');
  const names = Object.keys(contents) as Name[];
  const made = madeOnce(`stages-${hash}`, (into) => {
    mkdirSync(into);
    const files = names.map((name) => {
      const file = join(into, `${name}.json`);
      writeFileSync(file, JSON.stringify(contents[name]));
      return file;
    });
    synthesiseStages(into, files, { [CDK_VALIDATION_VARIABLE]: 'false' });
  });
  const assemblies = assembliesIn(made);
  return Object.fromEntries(names.map((name, index) => [name, assemblies[index]])) as Record<Name, Assembly>;
}

function synthesiseStages(into: string, files: readonly string[], variables: NodeJS.ProcessEnv): void {
  noteMade('syntheses', files.length);
  const list = execFileSync(process.execPath, [SCRIPT, into, ...files], {
    env: { ...process.env, ...variables },
  });
  writeFileSync(join(into, LIST), list);
}

function assembliesIn(folder: string): readonly Assembly[] {
  return JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as readonly Assembly[];
}
