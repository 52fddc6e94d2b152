import fc from 'fast-check';
import { ExpressionError, parseExpression } from '../../../local/dashboard/expression.ts';

const METRICS: Readonly<Record<string, number>> = { all: 40, failed: 10, none: 0 };

const QUOTAS: Readonly<Record<string, number>> = { all: 80 };

const computed = (text: string) =>
  parseExpression(text).compute(
    (id) => METRICS[id],
    (id) => QUOTAS[id],
  );

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['16 / 4 / 2', 2],
  ['-2 * -3', 6],
  ['6.25e-7 * 2', 1.25e-6],
  ['1.33334e-8', 1.33334e-8],
  ['all * 0.0000035', 1.4e-4],
  ['100 * failed / all', 25],
  ['all > 20', 1],
  ['all - 20 >= 21', 0],
  ['IF(all > 20, 100 * failed / all, 0)', 25],
  ['IF(none, 1, 2)', 2],
  ['all / none', undefined],
  ['all + missing', undefined],
  ['IF(missing > 1, 1, 2)', undefined],
  ['FILL(missing, 3) + FILL(all, 3) - all', 3],
  ['IF(all > 1, 1, missing)', 1],
  ['100 * all / SERVICE_QUOTA(all)', 50],
  ['100 * all / SERVICE_QUOTA(failed)', undefined],
])('%s', (text, value) => {
  if (value === undefined) expect(computed(text)).toBeUndefined();
  else expect(computed(text)).toBeCloseTo(value, 12);
});

test.each([
  ['FILL(all, none)', 'FILL takes a number'],
  ['SERVICE_QUOTA(1)', 'SERVICE_QUOTA takes a metric'],
  ['SUM(METRICS())', 'function SUM is not supported by a local run'],
  ['METRICS', 'METRICS is not a metric id'],
  ['1 +', 'the expression ends too early'],
  ['1 2', 'unexpected "2"'],
  ['(1', 'expected ")"'],
  ['IF(1, 2)', 'expected ","'],
  ['a && b', 'cannot parse "&& b"'],
  ['', 'the expression ends too early'],
  [`${'('.repeat(60)}1`, 'deeper than 50 levels'],
  [`${'-'.repeat(60)}1`, 'deeper than 50 levels'],
  ['1'.repeat(2_049), 'longer than 2048 characters'],
])('%s is refused', (text, message) => {
  expect(() => parseExpression(text)).toThrow(new ExpressionError(message));
});

test('the ids that it reads', () => {
  expect(parseExpression('IF(a > 1, -b, c2 * a)').ids).toEqual(['a', 'b', 'c2', 'a']);
});

test('arithmetic is that of JavaScript', () => {
  const numbers = fc.integer({ min: 0, max: 1_000 }).map(String);
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 4 },
      numbers,
      fc
        .tuple(tie('text'), fc.constantFrom('+', '-', '*', '/'), tie('text'))
        .map(([one, operator, other]) => `(${one} ${operator} ${other})`),
      fc.tuple(tie('text'), numbers).map(([one, other]) => `${one} - ${other} * 2`),
    ),
  }));
  fc.assert(
    fc.property(text, (expression) => {
      const expected = new Function(`return ${expression}`)() as number;
      const value = computed(expression);
      // Where JavaScript continues with infinity, there is no value.
      if (value !== undefined) expect(value).toBe(expected);
      else expect(expression).toContain('/');
    }),
  );
});

test('any text is an expression or an ExpressionError', () => {
  const parts = fc.array(fc.constantFrom('1', 'a', 'IF', '(', ')', ',', '+', '-', ' ', '>', '#', '1e'));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((texts) => texts.join('')),
      ),
      (text) => {
        try {
          parseExpression(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      },
    ),
  );
});
