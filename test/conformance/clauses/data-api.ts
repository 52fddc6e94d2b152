import assert from 'node:assert/strict';
import { type SentProof, verifyProof } from '../../../clients/typescript/src/proof/verify-proof.ts';
import { type Checks, Skipped } from '../clause.ts';
import { expectDataError, expectFields, listOf, objectOf, type TypeName } from '../expect-shape.ts';
import type { Probe } from '../probe.ts';
import type { JsonObject } from '../seen.ts';
import { finalBlock, META, successOf } from './data-answers.ts';

const FINALITY_LAG = 256;
/** Times that a figure is looked at again which the chain may have changed meanwhile. */
const LOOKS = 3;
/** Blocks that the index may be ahead of what its nodes say by JSON-RPC. */
const MAX_AHEAD = 16;
const BLOCK: Readonly<Record<string, TypeName>> = {
  number: 'integer',
  hash: 'hash',
  parent_hash: 'hash',
  timestamp: 'timestamp',
  miner: 'address',
  gas_limit: 'integer',
  gas_used: 'integer',
  base_fee_per_gas: 'decimal string',
  state_root: 'hash',
  transactions_root: 'hash',
  receipts_root: 'hash',
  tx_count: 'integer',
  size: 'integer',
  l1_block_number: 'nullable',
  extra: 'object',
};
/** The Data API: envelopes, resources, errors. */
export const DATA_CHECKS: Checks = {
  'data.envelope': async (probe) => {
    const { body } = await finalBlock(probe);
    assert.deepEqual(Object.keys(body).sort(), ['data', 'meta']);
  },
  'data.meta': async (probe) => {
    const { meta } = await finalBlock(probe);
    expectFields(meta, META, ['rows_read']);
    assert.equal(meta.coverage, 'full');
    for (const name of ['rows_read', 'query_ms'])
      assert.ok(Number(meta[name] ?? 0) >= 0, `${name} is ${meta[name]}`);
  },
  'data.head': async (probe) => {
    // The chain may become shorter between two requests.
    for (let look = 1; ; look++) {
      const before = await indexedHead(probe);
      const asOf = Number((await finalBlock(probe)).meta.as_of_block);
      const highest = Number(await probe.head()) + MAX_AHEAD;
      if (asOf >= before && asOf <= highest) return;
      assert.ok(
        look < LOOKS,
        `as_of_block is ${asOf}, the status said ${before}, a node ${highest - MAX_AHEAD}`,
      );
    }
  },
  'data.finality': async (probe) => {
    const { meta } = await finalBlock(probe);
    assert.equal(meta.finalized_block, Math.max(0, Number(meta.as_of_block) - FINALITY_LAG));
  },
  'data.block': async (probe) => expectFields((await finalBlock(probe)).data, BLOCK),
  'data.block.node': async (probe) => {
    const { meta } = await finalBlock(probe);
    for (const number of [0, Number(meta.finalized_block)]) {
      const { data } = successOf(await probe.data(`/{chain}/blocks/${number}`));
      const { json } = await probe.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
      const { result } = objectOf(json, 'the response');
      if (result === null || result === undefined) throw new Skipped('its node does not have the block');
      assert.deepEqual(comparable(objectOf(data, 'data')), asTold(objectOf(result, 'the block')));
    }
  },
  'data.proof': async (probe) => {
    const [row] = listOf(successOf(await probe.data('/{chain}/transactions?limit=1')).data, 'data');
    if (row === undefined) throw new Skipped('no transaction is indexed');
    const { hash, block_number } = objectOf(row, 'a transaction');
    const seen = await probe.data(`/{chain}/transactions/${hash}/proof`);
    if (seen.status === 422) throw new Skipped('blocks of the chain cannot be proven');
    const { json } = await probe.call('eth_getBlockByNumber', [
      `0x${Number(block_number).toString(16)}`,
      false,
    ]);
    const { result } = objectOf(json, 'the response');
    if (result === null || result === undefined) throw new Skipped('its node does not have the block');
    const { hash: blockHash } = objectOf(result, 'the block');
    const { transaction } = verifyProof(
      objectOf(successOf(seen).data, 'data') as unknown as SentProof,
      String(blockHash),
    );
    assert.equal(transaction.hash, hash);
  },
  'data.chains': async (probe) => {
    const rows = listOf(successOf(await probe.data('/chains')).data, 'data');
    for (const row of rows) expectFields(row, { chain: 'string', chain_id: 'integer' });
    const status = objectOf((await probe.send('/v1/status')).json, 'the status');
    for (const entry of listOf(status.chains, 'chains')) {
      const { chain, chain_id } = objectOf(entry, 'a chain');
      const listed = rows.map((row) => objectOf(row, 'a chain')).find((row) => row.chain === chain);
      assert.equal(listed?.chain_id, chain_id, `${chain} is in the status, and not in the list like that`);
    }
    assert.ok(
      rows.some((row) => objectOf(row, 'a chain').chain === probe.chain),
      `${probe.chain} is not listed`,
    );
  },
  'data.chains.price': async (probe) => {
    const billed = (await probe.data('/chains')).headers.get('x-cu-billed');
    if (billed === null) throw new Skipped('the gateway does not say what it bills');
    assert.equal(billed, '1');
  },
  'data.404': async (probe) => {
    const seen = await probe.data('/{chain}/blocks/0');
    if (seen.status === 200) throw new Skipped('every final block has a row');
    expectDataError(seen, 404, 'not_found');
  },
  'data.404.path': async (probe) => {
    for (const path of ['', '/{chain}', '/{chain}/nothing', '/no_such_chain/blocks/0'])
      expectDataError(await probe.data(path), 404, 'not_found');
  },
  'data.path': async (probe) => {
    const { data } = await finalBlock(probe);
    const encoded = [...probe.chain].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const seen = await probe.data(`/${encoded}/blocks/%30`);
    assert.deepEqual(objectOf(successOf(seen).data, 'data').hash, data.hash);
  },
  'data.kept': async (probe) => {
    const etag = (await probe.data('/{chain}/blocks/0')).headers.get('etag');
    if (etag === null) throw new Skipped('the gateway gives no tags');
    const strong = etag.replace('W/', '');
    for (const [tag, status] of [
      [etag, 304],
      [strong, 304],
      [`"other", ${strong}`, 304],
      ['"other"', 200],
      ['*', 200],
    ] as const)
      assert.equal((await probe.data('/{chain}/blocks/0', { 'if-none-match': tag })).status, status, tag);
  },
  'data.409': async (probe) => {
    // The next block becomes final while it is asked for, where the chain is fast.
    for (let look = 1; ; look++) {
      const next = Number((await finalBlock(probe)).meta.finalized_block) + 1;
      const seen = await probe.data(`/{chain}/blocks/${next}`);
      const isFinalNow = Number((await finalBlock(probe)).meta.finalized_block) >= next;
      if (isFinalNow && look < LOOKS) continue;
      if (isFinalNow) break;
      expectDataError(seen, 409, 'finality_exceeded');
      break;
    }
    const { meta } = await finalBlock(probe);
    for (const number of [BigInt(Number(meta.as_of_block)), 2n ** 53n, 10n ** 30n]) {
      if (number === 0n) continue;
      expectDataError(await probe.data(`/{chain}/blocks/${number}`), 409, 'finality_exceeded');
    }
  },
  'versioning.1': async (probe) => {
    for (const path of ['/status', '/v2/status', '/data/chains', '/v2/data/chains']) {
      const { status } = await probe.send(path, { headers: { 'x-api-key': probe.key } });
      assert.equal(status, 404, path);
    }
  },
};

/** The head that the public status tells of the chain. */
async function indexedHead(probe: Probe): Promise<number> {
  const status = objectOf((await probe.send('/v1/status')).json, 'the status');
  const entry = listOf(status.chains, 'chains').find((one) => objectOf(one, 'a chain').chain === probe.chain);
  if (entry === undefined) throw new Skipped(`the status does not tell of ${probe.chain}`);
  return Number(objectOf(objectOf(entry, 'a chain').head, 'head').block);
}

/** What of a block can be compared with that of a node. */
function comparable(block: JsonObject): JsonObject {
  const { l1_block_number: _layer1, extra: _extra, ...rest } = block;
  return rest;
}

/** A node's block as the Data API tells it. */
function asTold(block: JsonObject): JsonObject {
  const number = (name: string) => Number(block[name]);
  const text = (name: string) => String(block[name]).toLowerCase();
  return {
    number: number('number'),
    hash: text('hash'),
    parent_hash: text('parentHash'),
    timestamp: new Date(number('timestamp') * 1_000).toISOString().replace('.000Z', 'Z'),
    miner: text('miner'),
    gas_limit: number('gasLimit'),
    gas_used: number('gasUsed'),
    base_fee_per_gas: String(BigInt(String(block.baseFeePerGas ?? '0x0'))),
    state_root: text('stateRoot'),
    transactions_root: text('transactionsRoot'),
    receipts_root: text('receiptsRoot'),
    tx_count: listOf(block.transactions, 'transactions').length,
    size: number('size'),
  };
}
