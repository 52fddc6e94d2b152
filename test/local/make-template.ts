import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTemplate } from '../../local/template/load-template.ts';
import type { Template } from '../../local/template/template.ts';

/** The template of a stack named `stack` with these resources, read from a cloud assembly as a run reads one. */
export function makeTemplate(resources: Readonly<Record<string, object>>): Template {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  try {
    const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'stack.template.json' } };
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts: { stack } }));
    writeFileSync(join(folder, 'stack.template.json'), JSON.stringify({ Resources: resources }));
    return loadTemplate(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
