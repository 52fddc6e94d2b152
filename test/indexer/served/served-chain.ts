import { exportResponse } from '../../../lambdas/data/export-response.ts';
import { type DataDependencies, handleData } from '../../../lambdas/data/handle-data.ts';
import { createSeal } from '../../../lambdas/data/plan/seal.ts';
import type { MigratedDatabase } from '../../database/migrated-database.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { UNLIMITED } from '../../support/data-limits.ts';
import { followAll, followerOf } from '../bad-input/indexed-chain.ts';
import { createFakeNode } from '../fetch/fake-node.ts';
import { answersOf, type NodeBlockJson } from '../fetch/node-chain.ts';

/** What the Data API answers of a chain. */
export interface ServedChain {
  /** The chain's schema. */
  readonly schema: string;
  /** `data` of a success, with rows above the finalized block too. */
  get(path: string): Promise<Record<string, unknown>>;
  /** The text of a file. */
  file(path: string): Promise<string>;
}

/** Indexes blocks as a node tells them, from block 0 on or on top of what a chain has, and serves them. */
export async function serve(
  database: MigratedDatabase,
  chain: readonly NodeBlockJson[],
  known?: string,
): Promise<ServedChain> {
  const usual = answersOf(chain);
  const node = createFakeNode((call) =>
    call.params[0] === 'latest' ? { result: chain.at(-1)?.block } : usual(call),
  );
  const parts = await followerOf(node, database, known);
  await followAll(parts);
  return servedBy(database, parts.schema);
}

/** Serves what is indexed of a chain. */
export function servedBy(database: MigratedDatabase, schema: string): ServedChain {
  const dependencies: DataDependencies = {
    meter: admittingMeter(),
    chains: [{ chain: schema, chainId: 1, isDefault: true }],
    database: database.reader,
    clock: { now: Date.now },
    seal: createSeal('key of the tests'),
    respondWithExport: exportResponse,
    ...UNLIMITED,
  };
  const ask = (path: string) => {
    const [route = '', query = ''] = path.split('?');
    const isOfBlocks = !route.startsWith('/status/');
    const sent = new URLSearchParams(isOfBlocks ? `${query}&finality=latest` : query);
    return handleData(
      {
        holder: { keyId: 'k', account: 'acme' },
        chain: schema,
        path: route,
        query: Object.fromEntries([...sent].map(([name, value]) => [name, [value]])),
        ifNoneMatch: undefined,
        requestId: 'r',
      },
      dependencies,
    );
  };
  return {
    schema,
    get: async (path) => {
      const { statusCode, body } = await ask(path);
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${String(body)}`);
      return JSON.parse(String(body)).data;
    },
    file: async (path) => {
      const pieces: string[] = [];
      for await (const piece of (await ask(path)).file?.stream ?? []) pieces.push(String(piece));
      return pieces.join('');
    },
  };
}
