import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FRONT_ERRORS } from '../../lambdas/rpc/response/front-errors.ts';
import { type CatalogueEntry, ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { WEIGHTS, weightOf } from '../../lambdas/shared/methods/method-facts.ts';

const REFERENCE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'json-rpc.md'), 'utf8');
const ERRORS: Readonly<Record<string, Omit<CatalogueEntry, 'httpStatus'> & { httpStatus: number }>> = {
  ...ERROR_CATALOGUE,
  ...FRONT_ERRORS,
};

/** The rows of the table below a heading, as cells. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = REFERENCE.split(`## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** Matches a message with any value, or any name of one, in the place of each parameter. */
function messagePattern(message: string): RegExp {
  const parts = message.split(/<\w+>/).map((part) => part.replace(/[.()]/g, '\\$&'));
  return new RegExp(`^${parts.join('(?:\\d+|<\\w+>)')}$`);
}

describe('the JSON-RPC reference', () => {
  test.each(Object.entries(ERRORS))('has the error %s as it is', (reason, entry) => {
    const rows = rowsBelow('Errors that the gateway makes').filter((cells) =>
      cells[3]?.startsWith(`\`${reason}\``),
    );
    expect(rows).toHaveLength(1);
    const [code, status, message = '', , retryable] = rows[0] ?? [];
    expect([Number(code), Number(status)]).toEqual([entry.code, entry.httpStatus]);
    expect(message.replaceAll('`', '')).toMatch(messagePattern(entry.message));
    expect(retryable).toMatch(entry.retryable ? /^yes/ : /^no/);
  });

  test('has the weight of every method that has one', () => {
    const weights = rowsBelow('Compute units').flatMap(([methods = '', cu]) =>
      [...methods.matchAll(/`([\w*]+)`/g)].map(([, method]) => [method, Number(cu)]),
    );
    expect(Object.fromEntries(weights)).toEqual(Object.fromEntries(WEIGHTS));
    expect(rowsBelow('Compute units').find(([methods]) => methods?.includes('every method'))?.[1]).toBe(
      String(weightOf('eth_notNamedThere')),
    );
  });
});
