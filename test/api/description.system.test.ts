import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { accountOperationsOf, lookUp, operationsOf, readDescription } from '../../api/read-description.ts';
import { checkContract } from './contract.ts';

const DESCRIPTION = readDescription();
const PROJECT = join(import.meta.dirname, '..', '..');

/** What spectral's recommended rules ask for beyond those of redocly. */
const BEYOND_RECOMMENDED = {
  'info-contact': 'warn',
  'operation-description': 'warn',
  'operation-tag-defined': 'warn',
  'tag-description': 'warn',
} as const;

test('is valid OpenAPI 3.1, without a warning of the recommended rules', async () => {
  const config = await createConfig({ extends: ['spec', 'recommended'], rules: BEYOND_RECOMMENDED });
  const problems = await lintFromString({ source: JSON.stringify(DESCRIPTION), config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('describes each tag, and the headers of each answer', () => {
  for (const tag of DESCRIPTION.tags)
    expect(tag).toMatchObject({ description: expect.stringMatching(/\.$/) });
  const { responses } = DESCRIPTION.components;
  for (const [name, response] of Object.entries(responses))
    expect([name, Object.keys((response as { readonly headers?: object }).headers ?? {})]).toEqual([
      name,
      expect.arrayContaining(['X-Request-Id']),
    ]);
  expect(Object.keys(responses)).toContain('NotModified');
});

test.each([
  [
    'listBlocks',
    '200 304 400 402 403 404 409 422 429 500 502 503 504',
    ['X-CU-Cost', 'ETag', 'Cache-Control'],
  ],
  ['listTokenHolders', '200 304 400 402 403 404 409 422 429 500 502 503 504', ['X-Snapshot-Block', 'ETag']],
  ['listChains', '200 400 402 403 404 422 429 500 502 503 504', ['X-CU-Billed', 'Cache-Control']],
  ['listAccountUsage', '200 400 404 429 500 502 503 504', ['X-Request-Id']],
])('adds what is written at no operation: %s has the answers %s', (id, statuses, headers) => {
  const all = [...operationsOf(DESCRIPTION), ...accountOperationsOf(DESCRIPTION)];
  const { responses } = all.find(({ operation }) => operation.operationId === id)?.operation ?? {};
  expect(Object.keys(responses ?? {}).join(' ')).toBe(statuses);
  const success = lookUp(DESCRIPTION, 'responses', responses?.['200'] ?? { $ref: '' });
  expect(Object.keys(success.headers ?? {})).toEqual(expect.arrayContaining(headers));
  expect('ETag' in (success.headers ?? {})).toBe('304' in (responses ?? {}));
});

test('is what everything generated was made from', () => {
  const { stdout, status } = spawnSync(process.execPath, ['api/generate.ts', '--check'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});

test.each(operationsOf(DESCRIPTION).map(({ operation }) => [operation.operationId, operation] as const))(
  'the examples of %s are as it says',
  (operationId, { responses }) => {
    for (const [status, { $ref }] of Object.entries(responses)) {
      const name = $ref.slice('#/components/responses/'.length);
      const { example } = DESCRIPTION.components.responses[name]?.content?.['application/json'] ?? {};
      // What has no body has no example, and what API Gateway answers is no answer of the function.
      if (example === undefined || name === 'NoAnswer') continue;
      const body = JSON.stringify(example);
      checkContract(operationId, { status: Number(status), contentType: 'application/json', body });
    }
  },
);

/** Fields that no answer has unless a parameter asks for them. */
const ON_REQUEST = ['finalized', 'token_symbol', 'token_decimals'];

test('names the fields of the specification, in its order, and no other', () => {
  const fields = (name: string) =>
    Object.keys(DESCRIPTION.components.schemas[name]?.properties ?? {})
      .filter((field) => !ON_REQUEST.includes(field))
      .join(' ');
  expect(fields('Block')).toBe(
    'number hash parent_hash timestamp miner gas_limit gas_used base_fee_per_gas state_root transactions_root ' +
      'receipts_root tx_count size l1_block_number extra',
  );
  expect(fields('FreshnessRow')).toBe(
    'database table_name category key_kind max_block_number max_time seconds_behind blocks_behind rows_estimate ' +
      'bytes_estimate follow_last_block follow_lag_blocks checked_at max_day days_behind trace_min_block ' +
      'trace_max_block trace_gap_ranges trace_gap_blocks',
  );
  // The last with `native=true` alone.
  expect(fields('Balance')).toBe('token balance symbol decimals as_of_block');
  expect(fields('Meta')).toBe('as_of_block finalized_block coverage refreshed_at rows_read query_ms');
  expect(fields('Chain')).toBe('chain chain_id');
});

test('prices every operation, the list of chains at 1 CU', () => {
  const weights = Object.fromEntries(
    operationsOf(DESCRIPTION).map(({ operation }) => [operation.operationId, operation['x-compute-units']]),
  );
  expect(weights.listChains).toBe(1);
  // It asks a node for as many as fifty contracts, two questions each.
  const { listAddressApprovals, ...others } = weights;
  expect(listAddressApprovals).toBe(50);
  for (const weight of Object.values(others)) expect([1, 5, 10, 15, 20]).toContain(weight);
});
