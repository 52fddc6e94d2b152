import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '..', '..', 'bench', 'run.ts');

describe('npm run bench', () => {
  it.each([[[]], [['unknown']], [['toString']]])('names the benchmarks for %j', (scriptArguments) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...scriptArguments]);
    expect(status).toBe(2);
    expect(stdout.toString()).toBe('');
    expect(stderr.toString()).toMatch(/^[^\n]*rpc\|scanner\|settlement[^\n]*\n$/);
  });

  it('lists the benchmarks with what they take', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--help']);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    expect(stdout.toString()).toMatch(/^usage: npm run bench -- NAME/);
    expect(stdout.toString()).toMatch(/^ {2}upstreams \[--calls N\] +\d/m);
  });
});
