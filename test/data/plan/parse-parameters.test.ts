import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ParameterEntry } from '../../../lambdas/data/operations/operation-entry.ts';
import { OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import { parseParameters } from '../../../lambdas/data/plan/parse-parameters.ts';
import { anyText } from '../../support/any-text.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const { parameters } = OPERATIONS.listAddressTransfers;

const parse = (query: Record<string, string[]>, address = ADDRESS) =>
  parseParameters(parameters, { address }, query);

test.each(Object.entries(OPERATIONS))(
  'messages of %s say the form of a parameter in words',
  (_id, operation) => {
    for (const entry of operation.parameters as readonly ParameterEntry[]) {
      if (entry.kind !== 'pattern') continue;
      const wrong = parseParameters(
        [entry],
        { [entry.name]: '!' },
        entry.in === 'query' ? { [entry.name]: ['!'] } : {},
      );
      expect(wrong).toMatchObject({ ok: false, message: expect.stringMatching(/ must be [\w ,-]+$/) });
      expect(wrong).not.toMatchObject({ message: expect.stringContaining('description of the API') });
    }
  },
);

test('balances have 50 rows a page, and 500 at most', () => {
  const balances = (query: Record<string, string[]>) =>
    parseParameters(OPERATIONS.listAddressBalances.parameters, { address: ADDRESS }, query);
  expect(balances({})).toMatchObject({ ok: true, values: { limit: 50 } });
  expect([balances({ limit: ['500'] }).ok, balances({ limit: ['501'] }).ok]).toEqual([true, false]);
});

describe('parameters', () => {
  test('have their defaults, and addresses in lower case', () => {
    expect(parse({})).toEqual({
      ok: true,
      values: expect.objectContaining({
        address: ADDRESS.toLowerCase(),
        limit: 50,
        order: 'desc',
        standard: 'all',
        direction: 'any',
        clamp: false,
        from_block: undefined,
      }),
    });
  });

  test.each([
    [{ limit: ['0'] }, 'limit must be an integer from 1 to 500'],
    [{ limit: ['501'] }, 'limit must be an integer from 1 to 500'],
    [{ limit: ['-1'] }, 'limit must be an integer from 1 to 500'],
    [{ limit: ['1.5'] }, 'limit must be an integer from 1 to 500'],
    [{ limit: ['1e2'] }, 'limit must be an integer from 1 to 500'],
    [{ limit: ['007'] }, 'limit must be an integer from 1 to 500'],
    [{ limit: [''] }, 'limit must be an integer from 1 to 500'],
    [{ limit: ['1', '2'] }, 'limit must be given only once'],
    [{ limitt: ['1'] }, 'unknown parameter: limitt'],
    [{ chain: ['x'] }, 'unknown parameter: chain'],
    [{ '\u0000\n': ['x'] }, 'unknown parameter: ??'],
    [{ to_block: ['-1'] }, 'to_block must be the number of a block'],
    [{ to_block: ['1e3'] }, 'to_block must be the number of a block'],
    [{ clamp: ['yes'] }, 'clamp must be true or false'],
    [{ order: ['DESC'] }, 'order must be one of asc, desc'],
    [
      { from_time: ['2026-02-30'] },
      'from_time must be a time like 2026-01-31T12:00:00Z, or seconds since 1970',
    ],
    [
      { from_time: ['2026-13-01T00:00:00Z'] },
      'from_time must be a time like 2026-01-31T12:00:00Z, or seconds since 1970',
    ],
    [
      { from_time: ['2026-02-30T00:00:00Z'] },
      'from_time must be a time like 2026-01-31T12:00:00Z, or seconds since 1970',
    ],
    [
      { from_time: ['0000-01-01T00:00:00Z'] },
      'from_time must be a time like 2026-01-31T12:00:00Z, or seconds since 1970',
    ],
    [{ token: ['0x00'] }, 'token must be 0x and 40 hexadecimal digits'],
    [{ token: [`${ADDRESS}\n`] }, 'token must be 0x and 40 hexadecimal digits'],
  ])('%j: %s', (query, message) => expect(parse(query as never)).toEqual({ ok: false, message }));

  test('of a path are read like the others', () => {
    expect(parse({}, 'acme.eth')).toEqual({
      ok: false,
      message: 'address must be 0x and 40 hexadecimal digits',
    });
    const { parameters } = OPERATIONS.getBlock;
    expect(parseParameters(parameters, { number: 'latest' }, {})).toMatchObject({ ok: false });
    expect(parseParameters(parameters, { number: '12' }, {})).toEqual({
      ok: true,
      values: { number: 12, finality: 'finalized' },
    });
  });

  test('are required where the description says so', () => {
    expect(parseParameters(OPERATIONS.listPrices.parameters, {}, {})).toEqual({
      ok: false,
      message: 'tokens is required',
    });
  });

  test('never throw, whatever they are', () => {
    const queries = fc.dictionary(fc.string(), fc.array(anyText(), { maxLength: 3 }));
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(OPERATIONS)),
        queries,
        fc.string(),
        (operation, query, text) => {
          const path = Object.fromEntries(operation.parameters.map(({ name }) => [name, text]));
          expect(typeof parseParameters(operation.parameters, path, query).ok).toBe('boolean');
        },
      ),
    );
  });

  test('a day is a day of the calendar', () => {
    const day = (text: string) => parseParameters(OPERATIONS.listStocks.parameters, {}, { day: [text] }).ok;
    expect([day('2028-02-29'), day('2026-02-29'), day('2026-1-1'), day('2026-04-31')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
