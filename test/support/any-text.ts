import fc, { type Arbitrary, type StringConstraints } from 'fast-check';

/** The halves of surrogate pairs, which are no characters. */
const SURROGATES = { first: 0xd800, count: 0x800 } as const;
const LAST_CODE_POINT = 0x10ffff;

/** A character of Unicode. fast-check's own (`unit: 'binary'`) has a table of all million of them, made in a second. */
const character = fc.nat(LAST_CODE_POINT - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('not one character');
    const codePoint = text.codePointAt(0) ?? 0;
    return codePoint < SURROGATES.first ? codePoint : codePoint - SURROGATES.count;
  },
);

/** Text of any characters, whether or not they are printable. */
export function anyText(constraints: Omit<StringConstraints, 'unit'> = {}): Arbitrary<string> {
  return fc.string({ ...constraints, unit: character });
}
