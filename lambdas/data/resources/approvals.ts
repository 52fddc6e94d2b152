import { isIndexed } from '../plan/indexed-bytes.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, hex, iso, MAX_SAFE_INTEGER } from '../plan/sql-text.ts';
import { chronological, scanOf } from './keys.ts';

/** Topics of the events in which somebody approves of somebody, as the index has them. */
const APPROVAL = "'\\x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'";
const FOR_ALL = "'\\x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'";
const PERMIT2_EVENTS = `'\\xda9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b',
  '\\xc6a377bfc4eb120024a8ac08eef205be16b817020812c73223e81d1bdb9708ec'`;
/** The one contract of that name, at the same address on every chain: what others log in its form says nothing. */
export const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';

const WORD_BYTES = 32;
const LIMB_BYTES = 4;

/** SQL of a word of bytes as a number. Anybody can log anything: what is too short has none. */
function word(bytes: string, place = 0): string {
  const from = place * WORD_BYTES;
  const limbs = Array.from(
    { length: WORD_BYTES / LIMB_BYTES },
    (_, index) =>
      `('x' || encode(substr(${bytes}, ${from + index * LIMB_BYTES + 1}, ${LIMB_BYTES}), 'hex'))::bit(32)::bigint`,
  );
  const number = limbs.reduce((sum, limb) => `(${sum}) * 4294967296 + ${limb}`, '0::numeric');
  return `CASE WHEN octet_length(${bytes}) >= ${from + WORD_BYTES} THEN ${number} END`;
}

const addressOf = (topic: string) => hex(`substr(${topic}, 13)`);

const SAID = `CROSS JOIN LATERAL (SELECT CASE WHEN t.topic0 = ${APPROVAL}
      THEN CASE WHEN t.topic3 IS NULL THEN 'approval' ELSE 'approval_of_item' END
      WHEN t.topic0 = ${FOR_ALL} THEN 'approval_for_all' ELSE 'permit2' END AS kind,
    ${word('t.data')} AS first OFFSET 0) AS said`;

const COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, t.log_index, said.kind,
  CASE said.kind WHEN 'permit2' THEN ${addressOf('t.topic2')} ELSE ${hex('t.address')} END AS token,
  CASE said.kind WHEN 'permit2' THEN ${addressOf('t.topic3')} ELSE ${addressOf('t.topic2')} END AS spender,
  CASE WHEN said.kind = 'approval_of_item' THEN ${digits(`(${word('t.topic3')})`)} END AS token_id,
  CASE WHEN said.kind IN ('approval', 'permit2') THEN ${digits('said.first')} END AS amount,
  CASE said.kind WHEN 'approval_of_item' THEN t.topic2 <> decode(repeat('00', ${WORD_BYTES}), 'hex')
    ELSE coalesce(said.first <> 0, false) END AS approved,
  CASE said.kind WHEN 'permit2' THEN least(${word('t.data', 1)}, ${MAX_SAFE_INTEGER})::bigint END AS expiration,
  'approved' AS known_by, NULL::text AS allowance, NULL::bigint AS allowance_block`;

export const APPROVAL_RESOURCES = {
  listAddressApprovals: (scope, parameters) => {
    const { schema, bind } = scope;
    const owner = bind.bytes(`0x${'00'.repeat(12)}${parameters.address.slice(2)}`);
    return {
      branches: scanOf(
        scope,
        'logs',
        isIndexed(schema, 't.topic1', owner),
        `t.topic0 IN (${APPROVAL}, ${FOR_ALL}, ${PERMIT2_EVENTS})`,
      ),
      filter: [
        't.topic2 IS NOT NULL',
        `(t.topic0 IN (${APPROVAL}, ${FOR_ALL}) OR t.topic3 IS NOT NULL AND t.address = ${bind.bytes(PERMIT2)})`,
      ],
      keys: chronological('log_index'),
      joins: SAID,
      columns: COLUMNS,
      approvalsOf: parameters.address,
    };
  },
} satisfies SomeResources;
