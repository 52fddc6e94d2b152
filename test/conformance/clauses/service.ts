import assert from 'node:assert/strict';
import { type Checks, Skipped } from '../clause.ts';
import { expectDataError, expectFields, expectJson, listOf, objectOf } from '../expect-shape.ts';
import type { Probe } from '../probe.ts';
import type { JsonObject, Seen } from '../seen.ts';

/** Both times and the difference may be rounded. */
const MAX_ROUNDING_SECONDS = 2;
const NOT_INSTALLED = 'dataset_not_installed';

/** The code of an error of the Data API; undefined for another response. */
function codeOf({ json }: Seen): unknown {
  const { error } = objectOf(json, 'the response');
  return error === undefined ? undefined : objectOf(error, 'error').code;
}

async function statusOf(probe: Probe): Promise<JsonObject> {
  const seen = await probe.send('/v1/status');
  assert.equal(seen.status, 200);
  expectJson(seen);
  return objectOf(seen.json, 'the status');
}

/** What the service does, and its public status. */
export const SERVICE_CHECKS: Checks = {
  'service.1': async (probe) => {
    for (const entry of listOf((await statusOf(probe)).chains, 'chains')) {
      const { chain, chain_id } = objectOf(entry, 'a chain');
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
      const headers = { 'content-type': 'application/json', 'x-api-key': probe.key };
      const seen = await probe.send(`/v1/${chain}`, { method: 'POST', headers, body });
      assert.equal(Number(objectOf(seen.json, 'the response').result), chain_id);
    }
  },
  'service.2': async (probe) => {
    const calls = [
      ['eth_chainId', []],
      ['net_version', []],
      ['web3_clientVersion', []],
      ['debug_traceTransaction', [`0x${'00'.repeat(32)}`]],
    ] as const;
    for (const [method, params] of calls) {
      const { error } = objectOf((await probe.call(method, params)).json, 'the response');
      assert.notEqual(error === undefined ? 0 : objectOf(error, 'error').code, -32601, method);
    }
  },
  'service.3': async (probe) => {
    const chains = listOf((await statusOf(probe)).chains, 'chains');
    if (chains.length === 0 && codeOf(await probe.data('/{chain}/status/freshness')) === NOT_INSTALLED)
      throw new Skipped('nothing of the chain is indexed yet');
    assert.ok(
      chains.some((one) => objectOf(one, 'a chain').chain === probe.chain),
      `${probe.chain} is not listed`,
    );
  },
  'service.5': async (probe) => {
    const headers = { origin: 'https://example.com', 'x-api-key': probe.key };
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}';
    const asked = await probe.send('/v1/', { method: 'POST', headers, body });
    const preflight = await probe.send('/v1/', { method: 'OPTIONS', headers });
    for (const seen of [asked, preflight])
      assert.equal(seen.headers.get('access-control-allow-origin'), null);
    assert.ok(preflight.status >= 400, `OPTIONS is answered by ${preflight.status}`);
    for (const path of ['/v1/', `/v1/${probe.key}`]) {
      const status = await probe.openSocket(path);
      assert.ok(status >= 400, `a request for a WebSocket is answered by ${status}`);
    }
  },
  'service.7': async (probe) => {
    const coverage = await probe.data('/{chain}/status/coverage/traces');
    if (coverage.status !== 200) throw new Skipped('no traces are indexed yet');
    const ranges = listOf(objectOf(coverage.json, 'the response').data, 'data');
    const gap = ranges.map((range) => objectOf(range, 'a range')).find(({ state }) => state === 'gap');
    if (gap === undefined) throw new Skipped('the first page of the coverage of traces has no gap');
    const seen = await probe.data(`/{chain}/blocks/${gap.from_block}/traces`);
    if (seen.status === 409) throw new Skipped('the first gap is not final yet');
    expectDataError(seen, 422, 'no_coverage');
  },
  'status.1': async (probe) => {
    const status = await statusOf(probe);
    expectFields(status, { checked_at: 'timestamp', gateway: 'object', chains: 'array' });
    expectFields(status.gateway, { status: 'string' });
  },
  'status.2': async (probe) => {
    for (const entry of listOf((await statusOf(probe)).chains, 'chains')) {
      expectFields(entry, { chain: 'string', chain_id: 'integer', head: 'object' });
      expectFields(objectOf(entry, 'a chain').head, {
        block: 'integer',
        time: 'timestamp',
        lag_seconds: 'integer',
      });
    }
  },
  'status.5': async (probe) => {
    const { checked_at, chains } = await statusOf(probe);
    const chainId = Number(objectOf((await probe.call('eth_chainId')).json, 'the response').result);
    const entry = listOf(chains, 'chains')
      .map((one) => objectOf(one, 'a chain'))
      .find(({ chain }) => chain === probe.chain);
    if (entry?.chain_id !== chainId) throw new Skipped('the JSON-RPC calls go to another chain');
    const head = objectOf(entry.head, 'head');
    const age = (Date.parse(String(checked_at)) - Date.parse(String(head.time))) / 1_000;
    assert.ok(
      Math.abs(age - Number(head.lag_seconds)) <= MAX_ROUNDING_SECONDS,
      `lag_seconds is ${head.lag_seconds}`,
    );
    const number = `0x${Number(head.block).toString(16)}`;
    const { json } = await probe.call('eth_getBlockByNumber', [number, false]);
    const block = objectOf(objectOf(json, 'the response').result ?? undefined, `block ${number} of the node`);
    assert.equal(Number(block.timestamp) * 1_000, Date.parse(String(head.time)));
  },
  'status.3': async (probe) => {
    const seen = await probe.send('/v1/status', { headers: { origin: 'https://example.com' } });
    assert.deepEqual([seen.status, seen.headers.get('access-control-allow-origin')], [200, '*']);
  },
  'status.4': async (probe) => {
    const headers = { 'x-api-key': probe.key };
    const response = await probe.send('/v1/status', { method: 'HEAD' });
    const cors = response.headers.get('access-control-allow-origin');
    assert.deepEqual([response.status, response.text, cors], [200, '', '*']);
    for (const path of ['/v1/', '/v1/data/chains'])
      assert.equal((await probe.send(path, { method: 'HEAD', headers })).status, 404, path);
  },
};
