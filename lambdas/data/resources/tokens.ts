import type { Resources } from '../resource.ts';
import { digits, hex } from '../sql-text.ts';
import { ascending } from './keys.ts';

const COLUMNS = `${hex('t.address')} AS address, 'erc' || t.standard AS standard, t.name, t.symbol, t.decimals,
  ${digits('t.total_supply')} AS total_supply, t.holder_count, t.transfer_count, t.first_seen_block, t.balance_model,
  t.is_proxy, t.metadata_status, stock.token IS NOT NULL AS is_stock`;

const joinStock = (schema: string) => `LEFT JOIN ${schema}.stock_tokens AS stock ON stock.token = t.address`;

export const TOKEN_RESOURCES: Resources<'listTokens' | 'getToken'> = {
  listTokens: ({ schema, bind }, { standard, symbol }) => ({
    shape: 'list',
    branches: [
      {
        from: `${schema}.tokens`,
        where: [
          ...(standard === 'all'
            ? []
            : [`t.standard = ${bind.integer(Number(standard.slice('erc'.length)))}`]),
          ...(symbol === undefined ? [] : [`lower(t.symbol) = lower(${bind.text(symbol)})`]),
        ],
      },
    ],
    keys: ascending('bytea', 'address'),
    joins: joinStock(schema),
    columns: COLUMNS,
  }),
  getToken: ({ schema, bind }, { token }) => ({
    shape: 'one',
    branches: [{ from: `${schema}.tokens`, where: [`t.address = ${bind.bytes(token)}`] }],
    keys: [],
    joins: joinStock(schema),
    columns: COLUMNS,
    absent: `${token} is no token that has been seen`,
  }),
};
