import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BENCH = join(import.meta.dirname, '..', '..', 'bench');

function run(...scriptArguments: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(BENCH, 'run.ts'), ...scriptArguments]);
  return { status, stdout: stdout.toString(), stderr: stderr.toString() };
}

describe('npm run bench', () => {
  const { status, stdout, stderr } = run();

  it('lists the benchmarks with what they take and show, also for --help', () => {
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^usage: npm run bench -- NAME/);
    expect(stdout).toMatch(/^ {2}upstreams \[--calls N\] +\* calls over/m);
    expect(run('--help').stdout).toBe(stdout);
  });

  it.each([['unknown'], ['toString']])('lists them for the mistake %s', (name) => {
    expect(run(name)).toEqual({
      status: 2,
      stdout: '',
      stderr: `there is no benchmark "${name}"\n\n${stdout}`,
    });
  });

  it.each([
    [['scanner', '--before', '.'], 'scanner takes no --before'],
    [['upstreams', '--before', '.', '--turns', '0'], '--turns is a whole number from 1'],
  ])('lists them for %j', (scriptArguments, message) => {
    expect(run(...scriptArguments)).toEqual({ status: 2, stdout: '', stderr: `${message}\n\n${stdout}` });
  });

  it('refuses a title that no group of index has', () => {
    const { status, stderr: said } = run('index', '--only', 'nothing');
    expect({ status, said }).toEqual({
      status: 1,
      said: expect.stringContaining('--only is of Indexing, Proof, Derivation: there is no nothing'),
    });
  });

  it('stops with a reason where the version of --before measures nothing', () => {
    const { status, stderr: said } = run('upstreams', '--before', 'test/bench');
    expect({ status, said }).toEqual({
      status: 1,
      said: expect.stringMatching(/the version of --before has measured nothing: see its message above\n$/),
    });
  });

  it('has figures of each in the table of bench/README.md', () => {
    const table = readFileSync(join(BENCH, 'README.md'), 'utf8');
    const names = [...stdout.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !table.includes(`\n| ${name} |`))).toEqual([]);
  });
});
