/** What a release is compared by has every method and operation that is described. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStageConfig } from '../../lib/config/config.ts';
import { releaseFile } from '../../lib/monitoring/release-file.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const STAGE_FILE = join(ROOT, 'config', 'local.json');
const config = parseStageConfig(JSON.parse(readFileSync(STAGE_FILE, 'utf8')), STAGE_FILE);
const file = releaseFile(config);

test('what a release is compared by is every method and operation that is described, and no operation twice', () => {
  const { rpc = [], data = [], status = [], mcp = [] } = file.requests;
  expect([rpc.length, data.length, status.length, mcp.length]).toEqual([41, 68, 12, 8]);
  expect(new Set(data.map(({ of }) => of)).size).toBe(data.length);
  // Places are of values, which are all there.
  const places = [...JSON.stringify(file.requests).matchAll(/[^v]\{(\w+)\}/g)].map(([, place = '']) => place);
  expect(places.filter((place) => file.values[place] === undefined && place !== 'chain')).toEqual([]);
  expect(file.declared).toEqual([]);
});

test('a stage without a chain database is asked for no rows', () => {
  const { requests } = releaseFile({ ...config, database: { ...config.database, enabled: false } });
  expect(requests.data?.map(({ of }) => of)).toEqual(['listChains']);
});
