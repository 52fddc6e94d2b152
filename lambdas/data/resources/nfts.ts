import type { OperationParameters } from '../operations/operations.ts';
import type { Scope } from '../plan/plan.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, hex, iso } from '../plan/sql-text.ts';
import { keysOf, scanOf } from './keys.ts';
import { transferCount } from './tokens.ts';

const BY_ID = keysOf('numeric', 'token_id');
const BY_OWNER = keysOf('bytea', 'owner');

const STANDARDS = { erc721: 721, erc1155: 1155 } as const;

/** What an event announced wins over what was asked for, even where it is too long to be kept. */
const URI = 'CASE WHEN uri_size IS NULL THEN asked_uri ELSE token_uri END';
const URI_SIZE = 'coalesce(uri_size, asked_uri_size)';
const URI_COLUMNS = `${URI} AS token_uri, ${URI} IS NULL AND ${URI_SIZE} IS NOT NULL AS token_uri_omitted, ${URI_SIZE} AS token_uri_size`;
const ITEM_COLUMNS = `${hex('t.token')} AS token, ${digits('t.token_id')} AS token_id, ${URI_COLUMNS}, t.first_seen_block,
  t.updated_block`;
/** A URI may have some kilobytes; its length is beside it. */
const URI_BYTES = `coalesce(octet_length(${URI}), 0)`;
const OWNER_COLUMNS = `${hex('t.owner')} AS owner, ${digits('t.token_id')} AS token_id,
  'erc' || t.standard AS standard, ${digits('t.amount')} AS amount, t.acquired_block,
  ${iso('t.acquired_time')} AS acquired_at`;

/** What limits rows to those of one item. */
const isOf = ({ bind }: Scope, { token, token_id }: OperationParameters['getNftItem']) => [
  `t.token = ${bind.bytes(token)}`,
  `t.token_id = ${bind.decimal(token_id)}`,
];

export const NFT_RESOURCES = {
  listAddressNfts: ({ schema, bind }, { address, standard, token }) => ({
    branches: [
      {
        from: `${schema}.nft_owners`,
        where: [
          `t.owner = ${bind.bytes(address)}`,
          ...(token === undefined ? [] : [`t.token = ${bind.bytes(token)}`]),
          ...(standard === 'all' ? [] : [`t.standard = ANY (ARRAY[${STANDARDS[standard]}])`]),
        ],
        ...(standard !== 'all' && { front: 'standard' }),
      },
    ],
    keys: [...keysOf('bytea', 'token'), ...BY_ID],
    joins: `LEFT JOIN LATERAL (
        SELECT name, symbol FROM ${schema}.tokens WHERE address = t.token LIMIT 1
      ) AS collection ON true
      LEFT JOIN LATERAL (
        SELECT ${URI_COLUMNS} FROM ${schema}.nft_items WHERE token = t.token AND token_id = t.token_id LIMIT 1
      ) AS item ON true`,
    columns: `${hex('t.token')} AS token, ${digits('t.token_id')} AS token_id, 'erc' || t.standard AS standard,
      ${digits('t.amount')} AS amount, collection.name, collection.symbol, item.token_uri,
      coalesce(item.token_uri_omitted, false) AS token_uri_omitted, item.token_uri_size, t.acquired_block,
      ${iso('t.acquired_time')} AS acquired_at`,
    longBytes: `coalesce((SELECT ${URI_BYTES} FROM ${schema}.nft_items WHERE token = t.token AND token_id = t.token_id LIMIT 1), 0)`,
  }),
  getNftCollection: (scope, { token }) => ({
    branches: scanOf(scope, 'tokens', `t.address = ${scope.bind.bytes(token)}`, 't.standard IN (721, 1155)'),
    columns: `${hex('t.address')} AS address, 'erc' || t.standard AS standard, t.name, t.symbol,
      ${transferCount(scope.schema)} AS transfer_count,
      t.first_seen_block`,
    absent: `unknown collection ${token}`,
  }),
  listNftItems: (scope, { token }) => ({
    branches: scanOf(scope, 'nft_items', `t.token = ${scope.bind.bytes(token)}`),
    keys: BY_ID,
    columns: ITEM_COLUMNS,
    longBytes: URI_BYTES,
  }),
  getNftItem: (scope, item) => ({
    branches: scanOf(scope, 'nft_items', ...isOf(scope, item)),
    columns: ITEM_COLUMNS,
    absent: `item ${item.token_id} of ${item.token} has not been seen`,
  }),
  listNftItemOwners: (scope, item) => ({
    branches: scanOf(scope, 'nft_owners', ...isOf(scope, item)),
    keys: BY_OWNER,
    columns: OWNER_COLUMNS,
  }),
  listNftOwners: (scope, { token }) => ({
    branches: scanOf(scope, 'nft_owners', `t.token = ${scope.bind.bytes(token)}`),
    keys: [...BY_ID, ...BY_OWNER],
    columns: OWNER_COLUMNS,
  }),
} satisfies SomeResources;
