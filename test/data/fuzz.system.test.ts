import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ParameterEntry } from '../../lambdas/data/operations/operation-entry.ts';
import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { checkContract } from '../api/contract.ts';
import { anyText } from '../support/any-text.ts';
import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

const RUNS = 400;
/** What is wrong is refused at once, so more of it fits. */
const HOSTILE_FACTOR = 10;
const OPERATION_IDS = (Object.keys(OPERATIONS) as DataOperationId[]).filter((id) => id !== 'listChains');

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, 300, '\\x00', now(), now())`);
});

afterAll(() => chain?.close());

const hostile = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-0',
    '-1',
    '01',
    '1.5',
    '1e3',
    '0x',
    '0x1',
    '9007199254740993',
    '9'.repeat(400),
    'null',
    'true',
    'TRUE',
    "' OR 1=1 --",
    ':p0',
    '../..',
    'a/b',
    '%00',
    '\u0000',
    '\ud800',
    '１２',
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00+01:00',
    '999999-01-01',
    `0x${'F'.repeat(40)}`,
    `0X${'f'.repeat(40)}`,
    `0x${'f'.repeat(64)}`,
    `0x${'f'.repeat(39)}g`,
  ),
  anyText({ maxLength: 40 }),
);

/** A value that the description allows. */
function valid(entry: ParameterEntry): fc.Arbitrary<string> {
  switch (entry.kind) {
    case 'integer':
      return fc
        .oneof(
          fc.integer({ min: entry.minimum, max: Math.min(entry.maximum, 700) }),
          fc.constantFrom(entry.minimum, entry.maximum),
        )
        .map(String);
    case 'height':
      return fc.oneof(fc.nat({ max: 700 }), fc.bigInt({ min: 0n })).map(String);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'enum':
      return fc.constantFrom(...entry.values);
    case 'time':
      return fc.constantFrom(
        '2026-01-01T00:00:00Z',
        '2026-01-01T00:59:59.999Z',
        '1970-01-01T00:00:00Z',
        '9999-12-31T23:59:59Z',
      );
    case 'day':
      return fc.constantFrom('2026-01-01', '0001-01-01', '9999-12-31');
    case 'text':
      return fc
        .string({ minLength: 1, maxLength: entry.maxLength })
        .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));
    case 'pattern':
      return fc.constantFrom(
        ...[address('a1'), `0x${'aB'.repeat(32)}`, '5', '1'.repeat(78), 'uniswap_v3', 'AAAA'].filter((text) =>
          entry.pattern.test(text),
        ),
      );
  }
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed()).replaceAll('.', '%2E');

/** Requests of any operation, whose parameters are right, wrong, repeated or unknown. */
const requests = fc.constantFrom(...OPERATION_IDS).chain((operationId) => {
  const { parameters, path } = OPERATIONS[operationId];
  const values = parameters.map((entry) =>
    fc.record({
      entry: fc.constant(entry),
      texts: fc.oneof(
        { weight: 6, arbitrary: valid(entry).map((text) => [text]) },
        { weight: 2, arbitrary: hostile.map((text) => [text]) },
        { weight: 1, arbitrary: fc.tuple(valid(entry), hostile) },
        { weight: 4, arbitrary: fc.constant([] as string[]) },
      ),
    }),
  );
  const unknown = fc.option(fc.tuple(fc.string({ maxLength: 12 }), hostile), { freq: 8 });
  return fc.tuple(fc.tuple(...values), unknown).map(([given, extra]) => {
    const query = new URLSearchParams();
    let filled = path.replace('/{chain}', '');
    for (const { entry, texts } of given) {
      if (entry.in === 'path') filled = filled.replace(`{${entry.name}}`, encoded(texts[0] ?? '0'));
      else for (const text of texts) query.append(entry.name, text.toWellFormed());
    }
    if (extra !== null) query.append(extra[0].toWellFormed(), extra[1].toWellFormed());
    return { operationId, url: query.size === 0 ? filled : `${filled}?${query}` };
  });
});

test('whatever a client sends gets the right status in the right envelope, and what is wrong reaches no database', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ url }) => {
      const [charged, asked] = [chain.charged(), chain.statements().length];
      const { statusCode, body, json } = await chain.get(url);
      expect([200, 400, 404, 409, 422]).toContain(statusCode);
      if (statusCode === 200) return;
      expect(Object.keys(json)).toEqual(['error']);
      expect(Object.keys(json.error ?? {})).toEqual(['code', 'message']);
      expect(String(body)).not.toMatch(/SQLState|DatabaseError|syntax error/);
      expect(chain.charged()).toBe(charged);
      if (statusCode === 400) expect(chain.statements()).toHaveLength(asked);
    }),
    { numRuns: RUNS * HOSTILE_FACTOR },
  );
});

test('what is allowed is answered as the description says', async () => {
  const allowed = fc.constantFrom(...OPERATION_IDS).chain((operationId) => {
    const { parameters, path } = OPERATIONS[operationId];
    const chosen = parameters.filter(
      ({ name, required }) => required || !['cursor', 'from_time', 'to_time', 'format'].includes(name),
    );
    return fc.tuple(...chosen.map(valid)).map((texts) => {
      const query = new URLSearchParams();
      let filled = path.replace('/{chain}', '');
      for (const [index, { name, in: place }] of chosen.entries()) {
        if (place === 'path') filled = filled.replace(`{${name}}`, encoded(texts[index] ?? ''));
        else query.append(name, texts[index] ?? '');
      }
      return { operationId, url: `${filled}?${query}` };
    });
  });
  await fc.assert(
    fc.asyncProperty(allowed, async ({ operationId, url }) => {
      const { statusCode, body, headers } = await chain.get(url);
      checkContract(operationId, {
        status: statusCode,
        contentType: String(headers?.['Content-Type']),
        body: String(body),
      });
    }),
    { numRuns: RUNS },
  );
});
