import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stageFile } from '../../lib/config/stage-files.ts';
import type { Assembly } from '../../lib/synthesise.ts';
import { madeOnce } from './made-once.ts';
import { CDK_VALIDATION_VARIABLE, KEPT_BUNDLES_VARIABLE } from './run-folder.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'local', 'synthesise-stage.ts');

/**
 * The cloud assembly of a stage, synthesised once in a run: a process of its own does it, which is three times as fast as
 * the module system of the tests, and what each file that asks reads is the same.
 * @param stage name of a stage, or path of a stage file
 * @param synthesis which of them, for tests that compare two
 */
export function synthesisedOnce(stage: string, synthesis: 'first' | 'second' = 'first'): Assembly {
  const isShipped = !stage.endsWith('.json');
  const file = isShipped ? stageFile(stage) : stage;
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  const made = madeOnce(`stage-${hash}-${synthesis}`, (into) => {
    mkdirSync(into);
    const assembly = execFileSync(process.execPath, [SCRIPT, file, join(into, 'assembly')], {
      env: {
        ...process.env,
        [CDK_VALIDATION_VARIABLE]: String(isShipped && synthesis === 'first'),
        // The second one is made from nothing, so that a bundle that is another each time is seen.
        ...(synthesis === 'second' && { [KEPT_BUNDLES_VARIABLE]: undefined }),
      },
    });
    writeFileSync(join(into, 'assembly.json'), assembly);
  });
  return JSON.parse(readFileSync(join(made, 'assembly.json'), 'utf8')) as Assembly;
}
