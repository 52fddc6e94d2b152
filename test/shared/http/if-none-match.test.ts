/** A representation that a client has is found among its tags, within a bound. */
import fc from 'fast-check';
import { isFresh } from '../../../lambdas/shared/http/if-none-match.ts';

const MAX_TAGS = 100;

/** Characters that may stand between the quotes of a tag: a comma, too. */
const opaque = fc.stringMatching(/^[!\x23-\x7e]{1,30}$/);
const tag = fc.tuple(fc.constantFrom('', 'W/'), opaque).map(([weak, text]) => `${weak}"${text}"`);
const separator = fc.constantFrom(',', ', ', ' ,\t');

test.each([
  ['W/"x"', true],
  ['"x"', true],
  ['"y", W/"x"', true],
  ['"y","x"', true],
  ['"a,b" , "x"', true],
  ['x', false],
  ['W/x', false],
  ['"x', false],
  ['"X"', false],
  ['"W/x"', false],
  ['"xx"', false],
  ['*', false],
  ['', false],
  [undefined, false],
])('%s is fresh by W/"x": %s', (ifNoneMatch, expected) => {
  expect(isFresh(ifNoneMatch, 'W/"x"')).toBe(expected);
  expect(isFresh(ifNoneMatch, undefined)).toBe(false);
});

test('a tag is found among others, weak or not, wherever it stands within the bound', () => {
  fc.assert(
    fc.property(
      fc.array(tag, { maxLength: MAX_TAGS + 3 }),
      opaque,
      fc.nat(),
      separator,
      (others, own, at, by) => {
        const place = at % (others.length + 1);
        const sent = others.toSpliced(place, 0, `"${own}"`).join(by);
        const isAmongOthers = others
          .slice(0, MAX_TAGS - 1)
          .some((other) => other.replace('W/', '') === `"${own}"`);
        if (place < MAX_TAGS) expect(isFresh(sent, `W/"${own}"`)).toBe(true);
        else
          expect(isFresh(sent, `W/"${own}"`)).toBe(
            isAmongOthers || others[MAX_TAGS - 1]?.endsWith(`"${own}"`) === true,
          );
      },
    ),
  );
});

test('the hundredth tag is compared, and no further one', () => {
  const others = (count: number) => Array.from({ length: count }, (_, index) => `"${index}"`);
  expect(isFresh([...others(MAX_TAGS - 1), '"own"'].join(), '"own"')).toBe(true);
  expect(isFresh([...others(MAX_TAGS), '"own"'].join(), '"own"')).toBe(false);
});
