import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assemblyKey } from '../../local/assembly-key.ts';
import { type Synthesise, synthesised } from '../../local/synthesis.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'synthesis-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A project with a stage file. */
function project(): { readonly project: string; readonly stage: string } {
  mkdirSync(join(folder, 'lib', 'edge'), { recursive: true });
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'lib', 'edge', 'api.ts'), 'export {};');
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(folder, 'stage.json'), '{}');
  return { project: folder, stage: join(folder, 'stage.json') };
}

test('the key of an assembly changes with all that a synthesis reads, and with nothing else', () => {
  const { project: sources, stage } = project();
  const key = () => assemblyKey(sources, stage);
  const seen = new Set([key()]);
  writeFileSync(join(folder, 'test', 'api.test.ts'), '');
  expect(key()).toBe([...seen][0]);
  const changes: (() => void)[] = [
    () => appendFileSync(stage, ' '),
    () => appendFileSync(join(folder, 'package-lock.json'), ' '),
    () => appendFileSync(join(folder, 'lib', 'edge', 'api.ts'), ' '),
    () => writeFileSync(join(folder, 'lib', 'edge', 'more.ts'), ''),
    () => rmSync(join(folder, 'lib', 'edge', 'api.ts')),
    () => writeFileSync(join(folder, 'lib', 'edge', 'again.ts'), 'export {}; '),
  ];
  for (const [place, change] of changes.entries()) {
    change();
    seen.add(key());
    expect(seen.size).toBe(place + 2);
  }
});

test('an assembly is made once for the same sources, and again if its making was cut short or a stage changed', async () => {
  const stage = join(folder, 'stage.json');
  const assembly = join(folder, 'assembly');
  writeFileSync(stage, '{}');
  let made = 0;
  const synthesise: Synthesise = async (_, into) => {
    made += 1;
    expect(existsSync(into)).toBe(false);
    mkdirSync(into);
    if (made === 1) throw new Error('cut short');
    return { folder: into, stackName: 'gateway', embeddedUpstreamParameters: { chain: 'Node' } };
  };
  const once = () => synthesised(stage, assembly, synthesise);
  await expect(once()).rejects.toThrow('cut short');
  const whole = { folder: assembly, stackName: 'gateway', embeddedUpstreamParameters: { chain: 'Node' } };
  expect([await once(), await once(), made]).toEqual([whole, whole, 2]);
  appendFileSync(stage, ' ');
  expect([await once(), made]).toEqual([whole, 3]);
});
