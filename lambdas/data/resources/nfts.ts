import type { Key } from '../plan.ts';
import type { Resources } from '../resource.ts';
import { digits, hex, iso } from '../sql-text.ts';

const TOKEN: Key = { column: 'token', type: 'bytea', descending: false };
const TOKEN_ID: Key = { column: 'token_id', type: 'numeric', descending: false };
const OWNER: Key = { column: 'owner', type: 'bytea', descending: false };

const ITEM_COLUMNS = `${hex('t.token')} AS token, ${digits('t.token_id')} AS token_id, t.token_uri, t.first_seen_block,
  t.updated_block`;
const OWNER_COLUMNS = `${hex('t.owner')} AS owner, ${digits('t.token_id')} AS token_id,
  'erc' || t.standard AS standard, ${digits('t.amount')} AS amount, t.acquired_block,
  ${iso('t.acquired_time')} AS acquired_at`;

type NftOperation =
  | 'listAddressNfts'
  | 'getNftCollection'
  | 'listNftItems'
  | 'getNftItem'
  | 'listNftItemOwners'
  | 'listNftOwners';

export const NFT_RESOURCES: Resources<NftOperation> = {
  listAddressNfts: ({ schema, bind }, { address, standard, token }) => ({
    shape: 'list',
    branches: [
      {
        from: `${schema}.nft_owners`,
        where: [
          `t.owner = ${bind.bytes(address)}`,
          ...(token === undefined ? [] : [`t.token = ${bind.bytes(token)}`]),
          ...(standard === 'all' ? [] : [`t.standard = ${standard === 'erc721' ? 721 : 1155}`]),
        ],
      },
    ],
    keys: [TOKEN, TOKEN_ID],
    joins: `LEFT JOIN ${schema}.tokens AS collection ON collection.address = t.token
      LEFT JOIN ${schema}.nft_items AS item ON item.token = t.token AND item.token_id = t.token_id`,
    columns: `${hex('t.token')} AS token, ${digits('t.token_id')} AS token_id, 'erc' || t.standard AS standard,
      ${digits('t.amount')} AS amount, collection.name, collection.symbol, item.token_uri, t.acquired_block,
      ${iso('t.acquired_time')} AS acquired_at`,
  }),
  getNftCollection: ({ schema, bind }, { token }) => ({
    shape: 'one',
    branches: [
      { from: `${schema}.tokens`, where: [`t.address = ${bind.bytes(token)}`, 't.standard IN (721, 1155)'] },
    ],
    keys: [],
    columns: `${hex('t.address')} AS address, 'erc' || t.standard AS standard, t.name, t.symbol, t.transfer_count,
      t.first_seen_block`,
    absent: `${token} is no collection that has been seen`,
  }),
  listNftItems: ({ schema, bind }, { token }) => ({
    shape: 'list',
    branches: [{ from: `${schema}.nft_items`, where: [`t.token = ${bind.bytes(token)}`] }],
    keys: [TOKEN_ID],
    columns: ITEM_COLUMNS,
  }),
  getNftItem: ({ schema, bind }, { token, token_id }) => ({
    shape: 'one',
    branches: [
      {
        from: `${schema}.nft_items`,
        where: [`t.token = ${bind.bytes(token)}`, `t.token_id = ${bind.decimal(token_id)}`],
      },
    ],
    keys: [],
    columns: ITEM_COLUMNS,
    absent: `item ${token_id} of ${token} has not been seen`,
  }),
  listNftItemOwners: ({ schema, bind }, { token, token_id }) => ({
    shape: 'list',
    branches: [
      {
        from: `${schema}.nft_owners`,
        where: [`t.token = ${bind.bytes(token)}`, `t.token_id = ${bind.decimal(token_id)}`],
      },
    ],
    keys: [OWNER],
    columns: OWNER_COLUMNS,
  }),
  listNftOwners: ({ schema, bind }, { token }) => ({
    shape: 'list',
    branches: [{ from: `${schema}.nft_owners`, where: [`t.token = ${bind.bytes(token)}`] }],
    keys: [TOKEN_ID, OWNER],
    columns: OWNER_COLUMNS,
  }),
};
