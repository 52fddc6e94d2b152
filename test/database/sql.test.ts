import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { joinSql, sql, sqlBytes, sqlName, sqlText } from '../../lambdas/shared/chain-database/sql.ts';

/** A database that notes what it is asked. */
function recorded() {
  const asked: unknown[][] = [];
  const query: ChainDatabase['query'] = async (...statement) => {
    asked.push(statement);
    return { rows: [], updated: 0 };
  };
  const database: ChainDatabase = { query, transaction: (work) => work({ query }) };
  return { asked, database };
}

test('a statement is written once, and runs on the schema of its chain, in a transaction too', async () => {
  const { asked, database } = recorded();
  const statement = sql`DELETE FROM {{schema}}.blocks USING {{schema}}.logs WHERE number = :block`;
  await connectionTo(database, 'one').query(statement, { block: 1 });
  await connectionTo(database, 'two').transaction((chain) => chain.query(statement));
  expect(asked).toEqual([
    ['DELETE FROM "one".blocks USING "one".logs WHERE number = :block', { block: 1 }],
    ['DELETE FROM "two".blocks USING "two".logs WHERE number = :block', undefined],
  ]);
  expect(() => connectionTo(database, 'a"; DROP SCHEMA b; --')).toThrow('not a valid schema name');
});

test('a statement is made of parts, names, literals and numbers of the code', () => {
  const names = joinSql(['block_number', 'hash'].map(sqlName), ', ');
  expect(sql`SELECT ${names} FROM t WHERE ${sql`a < ${5}`} AND b = ${sqlText("it's")}`).toBe(
    "SELECT block_number, hash FROM t WHERE a < 5 AND b = 'it''s'",
  );
  expect(sqlBytes('0x0a')).toBe(String.raw`'\x0a'::bytea`);
});

test.each(['a b', 'a;', "a'", 'a"', 'A', '', '1a'])('%j is no name', (name) => {
  expect(() => sqlName(name)).toThrow('not a plain name');
});
