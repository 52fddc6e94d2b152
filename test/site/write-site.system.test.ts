import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageFile } from '../../lib/config/stage-files.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const COMMAND = 'npm run --silent site -- ';
const folder = mkdtempSync(join(tmpdir(), 'written-site-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeSite(...options: string[]) {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'site', '--', ...options], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the command writes the site of a stage, with the address of its gateway in it', () => {
  const written = writeSite('--config', stageFile('example-production'), '--folder', folder);
  expect(written).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(folder)).toContain('index.html');
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).not.toContain('{base_url}');
});

test('the command prints its usage when asked, and after a mistake', () => {
  const help = writeSite('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  expect(help.stdout).toContain(`Usage: ${COMMAND}--config FILE`);
  const refused = writeSite('--unheard-of');
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain('--unheard-of');
  expect(refused.stderr).toContain(help.stdout);
  expect(readFileSync(join(PROJECT, 'docs', 'deploy.md'), 'utf8')).toContain(`${COMMAND}--config`);
});
