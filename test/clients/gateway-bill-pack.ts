import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { billedWorld, keepBucket } from './billed-world.ts';

/** The packed tool for bills works where nothing else is installed. */
export function testGatewayBillPack(): void {
  const TOOL = join(import.meta.dirname, '..', '..', 'clients', 'gateway-bill');
  const run = promisify(execFile);

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-bill-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('the packed tool installs into an empty folder, and checks a bill there', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: TOOL });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ];
    expect(packed.files.map(({ path }) => path).sort()).toEqual([
      'README.md',
      'dist/gateway-bill.js',
      'package.json',
    ]);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const install = ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`];
    await run('npm', install, { cwd: folder });
    const world = await billedWorld(join(folder, 'bill'));
    await keepBucket(world, join(folder, 'bucket'));
    writeFileSync(join(folder, 'key.txt'), world.bill.keys.join());
    const verify = (account: string) =>
      run(
        'npx',
        ['gateway-bill', 'verify', 'bill', '--account', account, '--heads', 'bucket', '--key', 'key.txt'],
        {
          cwd: folder,
        },
      );
    expect((await verify('acme')).stdout).toContain('3 records of acme bill 5 units.');
    await expect(verify('bob')).rejects.toMatchObject({
      code: 12,
      stdout: expect.stringContaining('is one of account acme. (exit code 12)'),
    });
  });
}
