import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen } from '../support/listen.ts';

/** The packed client works where nothing else is installed. */
export function testClientPack(): void {
  const PROJECT = join(import.meta.dirname, '..', '..');
  const CLIENT = join(PROJECT, 'clients', 'typescript');
  const TYPESCRIPT = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = promisify(execFile);

  /** A program that has nothing but the package. */
  const PROGRAM = `
import { createClient } from 'blockchain-data-gateway-client';
import { ProofError, RateLimitedError } from 'blockchain-data-gateway-client/errors';
import { verifyProof } from 'blockchain-data-gateway-client/proof';

const client = createClient({ baseUrl: process.argv[2] ?? '', apiKey: 'rgw_', retries: 0 });
const hashes: string[] = [];
for await (const { hash } of client.rows('listBlocks', { order: 'asc', limit: 2 })) hashes.push(hash);
const limited = await client.get('getToken', { token: '0x' }).catch((error: unknown) => error);
// @ts-expect-error: there is no such operation
const unknown = await client.get('listNothing').catch(() => 'nothing');
const { data: proof } = await client.get('getTransactionProof', { hash: '0x' });
let refused: unknown;
try {
  const number: bigint = verifyProof(proof, \`0x\${'00'.repeat(32)}\`).block.number;
  console.log(number);
} catch (error) {
  refused = error instanceof ProofError && error.message;
}
const told = [limited instanceof RateLimitedError && limited.retryAfterMs, unknown, refused];
console.log(JSON.stringify([hashes, ...told]));
`;
  /** What Node has beside a browser, as far as the program uses it. */
  const PROCESS = 'declare const process: { readonly argv: readonly string[] };\n';
  const STRICT = {
    compilerOptions: {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      lib: ['es2022', 'dom'],
      types: [],
    },
    files: ['program.ts', 'process.d.ts'],
  };

  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'client-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('the packed client installs into an empty folder, type checks there, and runs', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: CLIENT });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [
      { filename: string; files: { path: string }[] },
    ];
    const others = packed.files.filter(
      ({ path }) => !/^(README\.md|package\.json|dist\/(proof\/)?[\w-]+\.(js|d\.ts))$/.test(path),
    );
    expect(others).toEqual([]);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'process.d.ts'), PROCESS);
    // What verifies proofs needs, which nothing else of it does.
    const noble = ['hashes', 'curves'].map((name) => join(PROJECT, 'node_modules', '@noble', name));
    const install = ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`, ...noble];
    await run('npm', install, { cwd: folder });
    const checked = run(process.execPath, [TYPESCRIPT, '--project', folder], { cwd: folder });
    expect(await checked.catch(({ stdout: problems }: { stdout: string }) => problems)).toMatchObject({
      stdout: '',
    });
    const server = await listen(({ url = '' }, response) => {
      if (url.includes('/tokens/')) return response.writeHead(429, { 'retry-after': '7' }).end('{}');
      if (url.endsWith('/proof')) return response.end('{"data":{"header":"0xc0"}}');
      const first = !url.includes('cursor=next');
      const body = {
        data: [{ hash: first ? '0x1' : '0x2' }],
        meta: {},
        ...(first && { next_cursor: 'next' }),
      };
      return response.end(JSON.stringify(body));
    });
    try {
      const ran = await run(process.execPath, ['program.js', server.url], { cwd: folder });
      expect(JSON.parse(ran.stdout)).toEqual([
        ['0x1', '0x2'],
        7_000,
        'nothing',
        expect.stringMatching(/^the proof is of the block 0x[0-9a-f]{64}$/),
      ]);
    } finally {
      await server.close();
    }
  });
}
