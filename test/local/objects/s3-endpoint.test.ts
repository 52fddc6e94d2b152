import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectObjects, type ObjectStore } from '../../../lambdas/shared/aws/object-store.ts';
import { startS3Endpoint } from '../../../local/objects/s3-endpoint.ts';
import type { LocalServer } from '../../../local/processes/listen-locally.ts';

const ACCESS_KEY = 'AKIDLOCAL';
let folder: string;
let server: LocalServer;
let open: (bucket: string, accessKeyId?: string) => ObjectStore;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 's3-'));
  const buckets = new Set(['leaves', 'heads']);
  server = await startS3Endpoint({ buckets, folder, accessKeyId: ACCESS_KEY });
  open = (bucket, accessKeyId = ACCESS_KEY) =>
    connectObjects({
      bucket,
      connectTimeoutMs: 5_000,
      timeoutMs: 20_000,
      config: {
        endpoint: server.url,
        region: 'us-east-1',
        credentials: { accessKeyId, secretAccessKey: 'local' },
      },
    });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

test('an object is read as it was put, and a part of it', async () => {
  const leaves = open('leaves');
  await leaves.put('leaves/2026-11-20T09/one', Buffer.from('first'));
  await leaves.put('leaves/2026-11-20T09/one', Buffer.from('another'));
  expect(String(await leaves.get('leaves/2026-11-20T09/one'))).toBe('another');
  expect(String(await leaves.get('leaves/2026-11-20T09/one', { from: 2, bytes: 3 }))).toBe('oth');
  expect(await leaves.get('leaves/2026-11-20T09/one', { from: 7, bytes: 3 })).toBeUndefined();
  expect(await leaves.get('leaves/2026-11-20T09/two')).toBeUndefined();
});

test('of several that put a new object, one does', async () => {
  const heads = open('heads');
  const done = await Promise.all(['a', 'b', 'c'].map((text) => heads.putNew('heads/1.json', text)));
  expect(done.filter((isNew) => isNew)).toHaveLength(1);
  expect(['a', 'b', 'c'][done.indexOf(true)]).toBe(String(await heads.get('heads/1.json')));
});

test('strangers may neither read nor write', async () => {
  const statusOf = async (path: string, init?: RequestInit) => (await fetch(server.url + path, init)).status;
  expect(await statusOf('/heads/heads/2.json', { method: 'PUT', body: 'x' })).toBe(403);
  expect(await statusOf('/leaves/leaves/2026-11-20T09/one')).toBe(403);
  expect(await statusOf('/leaves/..%2fsecrets.json')).toBe(403);
  await expect(open('leaves', 'AKIDOTHER').put('leaves/x', 'x')).rejects.toThrow('status 403');
  await expect(open('other').put('leaves/x', 'x')).rejects.toThrow('status 404');
});
