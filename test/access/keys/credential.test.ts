/** A key is taken from path, x-api-key and Bearer, in the order of the specification. */
import { presentedKey } from '../../../lambdas/access/middlewares.ts';

describe('presentedKey', () => {
  const both = { 'x-api-key': 'from-header', authorization: 'Bearer from-bearer' };

  test('a key in the path wins, whatever it is', () => {
    expect(presentedKey({ pathKey: 'from-path', headers: both })).toBe('from-path');
    expect(presentedKey({ pathKey: '', headers: both })).toBe('');
  });

  test('x-api-key wins over Bearer when it is not empty', () => {
    expect(presentedKey({ headers: both })).toBe('from-header');
    expect(presentedKey({ headers: { ...both, 'x-api-key': '' } })).toBe('from-bearer');
    expect(presentedKey({ headers: { ...both, 'x-api-key': ' \t' } })).toBe('from-bearer');
  });

  test('names of headers and of the scheme are matched in any case', () => {
    expect(presentedKey({ headers: { 'X-Api-KEY': 'k' } })).toBe('k');
    expect(presentedKey({ headers: { AUTHORIZATION: 'bEARER  k' } })).toBe('k');
  });

  test('only surrounding white space is dropped', () => {
    expect(presentedKey({ headers: { 'x-api-key': ' a b\t' } })).toBe('a b');
    expect(presentedKey({ headers: { authorization: ' Bearer  a b ' } })).toBe('a b');
  });

  test.each([
    [{}],
    [{ authorization: '' }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Bearer  ' }],
    [{ authorization: 'Basic abc' }],
    [{ authorization: 'Bearerabc' }],
    [{ 'x-api-key': undefined }],
  ])('%j presents no key', (headers) => {
    expect(presentedKey({ headers })).toBeUndefined();
  });

  test('absent headers present no key', () => {
    expect(presentedKey({ headers: null })).toBeUndefined();
  });
});
