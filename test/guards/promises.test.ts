/** A test that vanishes, moves or is not run is seen, whatever declares it, and only a commit message accounts for it. */
import { movedOrMarked } from './moved-tests.ts';
import { declaredIn, isAccounted, vanished } from './promises.ts';

const declared = (text: string, file = 'test/a.test.ts') => declaredIn(file, text);
const titles = (text: string) => declared(text).map(({ title }) => title);

test('tests are found by whatever declares them', () => {
  const text = `
    describe('of a call', () => { it('is kept', () => {}); });
    test.each([[1], [2]])('takes %d', (n) => {});
    test.each<{ n: number }>([{ n: 1 }])(\`as much as \${n}\`, () => {});
    testHere('where there is Java', async () => {}, 5);
    pageTest('in a browser', function () {});
    pandas.run('with pandas', () => {});
    tests.map('x', () => {}); fs.test('y'); waitFor('z', () => {});`;
  expect(titles(text)).toEqual([
    'is kept',
    'takes %d',
    expect.stringMatching(/^as much as .\{n\}$/),
    'where there is Java',
    'in a browser',
    'with pandas',
  ]);
});

test('a test that vanished is one that is there less often, wherever it stands', () => {
  const before = declared(
    "test('a', () => {}); describe('x', () => test('a', () => {})); test('b', () => {});",
  );
  const after = declared("test('b', () => {}); test('a', () => {}); test('c', () => {});", 'test/b.test.ts');
  expect(vanished({ before, after }).map(({ title }) => title)).toEqual(['a']);
});

test('a test that is skipped or alone, by itself or by what is around it, or that moved is named', () => {
  const before = declared(
    "test('a', () => {}); test.skip('old', () => {}); test('m', () => {}); test('n', () => {}); test('o', () => {});",
  );
  const after = [
    ...declared("test.only.each([1])('a', () => {}); test.skip('old', () => {});"),
    ...declared("describe.skip('d', () => { test('new', () => {}); });"),
    ...declared("test('m', () => {});", 'test/m.deep.test.ts'),
    ...declared(
      "describeAtLength('d', () => { test('n', () => {}); }); testAtLength.each([1])('o', () => {});",
    ),
  ];
  expect(movedOrMarked({ before, after })).toEqual([
    'only: a (test/a.test.ts)',
    'skip: new (test/a.test.ts)',
    'moved from unit to deep: m (test/m.deep.test.ts)',
    'moved from unit to deep: n (test/a.test.ts)',
    'moved from unit to deep: o (test/a.test.ts)',
  ]);
});

test.each([
  ['promise dropped in house.md: it is kept', true],
  ['Subject\n\nbecause of x.\n\n- deep: other\n- same as it is\n  held: it is\n  kept\n', true],
  ['deep: it is kept', true],
  ['same as what is nowhere: it is kept', false],
  ['promise dropped: it is kept', false],
  ['promise dropped in house.md: it is kept twice', false],
  ['it is kept', false],
])('%j accounts for a test: %j', (message, expected) => {
  expect(isAccounted('it is kept', message, (title) => title === 'it is held')).toBe(expected);
});
