import type { MigratedDatabase } from '../../database/migrated-database.ts';
import { createFakeNode, type Said } from '../fetch/fake-node.ts';
import { answersOf, type NodeBlockJson } from '../fetch/node-chain.ts';
import { followAll, followerOf } from './indexed-chain.ts';
import { contradictionsOf } from './sound-index.ts';

/**
 * The index of a chain that a node tells, which is sound.
 * @param answer what the node says of calls at contracts
 */
export async function indexedChain(
  database: MigratedDatabase,
  chain: readonly NodeBlockJson[],
  answer?: (to: string, data: string) => Said,
) {
  const usual = answersOf(chain);
  const node = createFakeNode((call) => {
    if (call.params[0] === 'latest') return { result: chain.at(-1)?.block };
    if (call.method !== 'eth_call' || answer === undefined) return usual(call);
    const [{ to, data }] = call.params as [{ to: string; data: string }];
    return answer(to, data);
  });
  const parts = await followerOf(node, database);
  expect(await followAll(parts)).toEqual(['began', 'appended', 'idle']);
  expect(await contradictionsOf(database.postgres.superuser, parts.schema)).toEqual([]);
  const query = async (sql: string) =>
    (await database.reader.query(sql.replaceAll('{schema}', parts.schema))).rows;
  return { ...parts, node, query };
}
