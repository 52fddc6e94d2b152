import assert from 'node:assert/strict';
import { Skipped } from '../clause.ts';
import { expectDataError, expectJson, listOf, objectOf, type TypeName } from '../expect-shape.ts';
import type { Probe } from '../probe.ts';
import type { Json, JsonObject, Seen } from '../seen.ts';

/** An address without any activity. */
export const UNUSED_ADDRESS = `0x${'5e'.repeat(20)}`;
/** Members of `meta`. */
export const META: Readonly<Record<string, TypeName>> = {
  as_of_block: 'integer',
  finalized_block: 'integer',
  coverage: 'string',
  refreshed_at: 'timestamp',
  rows_read: 'integer',
  query_ms: 'integer',
};

/** `data` and `meta` of a success. */
export function successOf(seen: Seen): { data: Json | undefined; meta: JsonObject; body: JsonObject } {
  assert.equal(seen.status, 200);
  expectJson(seen);
  const body = objectOf(seen.json, 'the response');
  return { data: body.data, meta: objectOf(body.meta, 'meta'), body };
}

export async function finalBlock(
  probe: Probe,
): Promise<{ data: JsonObject; meta: JsonObject; body: JsonObject }> {
  const seen = await probe.data('/{chain}/blocks/0');
  if (seen.status === 404) throw new Skipped('nothing of the chain is indexed');
  const { data, meta, body } = successOf(seen);
  return { data: objectOf(data, 'data'), meta, body };
}

export async function freshness(probe: Probe): Promise<{ rows: readonly Json[]; meta: JsonObject }> {
  const seen = await probe.data('/{chain}/status/freshness');
  if (seen.status === 422) {
    expectDataError(seen, 422, 'dataset_not_installed');
    throw new Skipped('the freshness view is not installed');
  }
  const { data, meta } = successOf(seen);
  return { rows: listOf(data, 'data'), meta };
}

export async function balances(
  probe: Probe,
  address: string,
  query = '',
): Promise<{ rows: readonly Json[]; body: JsonObject; headers: Headers }> {
  const seen = await probe.data(`/{chain}/addresses/${address}/balances${query}`);
  if (seen.status === 422) throw new Skipped('there is no snapshot of balances yet');
  const { data, body } = successOf(seen);
  return { rows: listOf(data, 'data'), body, headers: seen.headers };
}

/** Addresses that received tokens lately. */
export async function receivers(probe: Probe): Promise<readonly string[]> {
  const seen = await probe.data('/{chain}/transfers?limit=50');
  if (seen.status !== 200) throw new Skipped('there are no transfers to take an address from');
  const rows = listOf(successOf(seen).data, 'data');
  return [
    ...new Set(
      rows.map((row) => String(objectOf(row, 'a transfer').to_address ?? objectOf(row, 'a transfer').to)),
    ),
  ];
}

/** The address that holds the most kinds of tokens among those that received some lately. */
export async function richest(probe: Probe): Promise<{ address: string; rows: readonly Json[] }> {
  let best: { address: string; rows: readonly Json[] } = { address: UNUSED_ADDRESS, rows: [] };
  for (const address of (await receivers(probe)).slice(0, 10)) {
    const { rows } = await balances(probe, address);
    if (rows.length > best.rows.length) best = { address, rows };
  }
  if (best.rows.length === 0) throw new Skipped('no recent receiver of tokens is in the snapshot');
  return best;
}
