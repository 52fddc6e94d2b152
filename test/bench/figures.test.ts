import { besideBefore, type Shown } from '../../bench/before.ts';
import { countsOf, type Figure, median, printFigures, quantile } from '../../bench/figures.ts';

describe('figures', () => {
  let lines: string[];

  beforeEach(() => {
    lines = [];
    jest.spyOn(console, 'log').mockImplementation((line) => lines.push(line));
  });
  afterEach(() => jest.restoreAllMocks());

  it('are printed with their baseline, the ratio to it and the target', () => {
    const figure = {
      name: 'one',
      value: 12.345,
      unit: 'ms',
      baseline: { name: 'other', value: 5 },
      most: 20,
    };
    expect(printFigures('Title', [figure])).toEqual([]);
    expect(lines.at(-1)?.replaceAll(/ +/g, ' ')).toBe('one 12.3 ms other 5 ms x 2.47 at most 20: met');
  });

  const missed: readonly Figure[] = [
    { name: 'over', value: 3, unit: 'WCU', most: 2 },
    { name: 'slow', value: 999, unit: 'blocks/s', least: 1_000 },
    { name: 'none', value: 0.01, unit: 'RCU', most: 0 },
    { name: 'ratio', value: 97, unit: 'MiB', baseline: { name: 'result', value: 32 }, mostRatio: 3 },
    { name: 'share', value: 39, unit: '/s', baseline: { name: 'proxy', value: 100 }, leastRatio: 0.4 },
    { name: 'added', value: 33.1, unit: 'ms', baseline: { name: 'direct', value: 31 }, mostAbove: 2 },
  ];
  const met: readonly Figure[] = [
    { name: 'fast', value: 1_000, unit: 'blocks/s', least: 1_000 },
    { name: 'equal', value: 2, unit: 'WCU', most: 2 },
    { name: 'ratio', value: 96, unit: 'MiB', baseline: { name: 'result', value: 32 }, mostRatio: 3 },
    { name: 'share', value: 40, unit: '/s', baseline: { name: 'proxy', value: 100 }, leastRatio: 0.4 },
    { name: 'added', value: 33, unit: 'ms', baseline: { name: 'direct', value: 31 }, mostAbove: 2 },
    { name: 'free', value: 1_000, unit: 'ms' },
  ];

  it('tell which of them miss their target', () => {
    expect(printFigures('T', [...met, ...missed])).toEqual(missed.map(({ name }) => `T: ${name}`));
    expect(lines.filter((line) => line.includes('MISSED'))).toHaveLength(missed.length);
  });
});

test('outcomes are counted by what they are', () => {
  expect(countsOf('told', ['429', '200', '429'])).toEqual([
    { name: 'told: 200', value: 1, unit: '' },
    { name: 'told: 429', value: 2, unit: '' },
  ]);
});

describe('quantiles', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  it('are values that were measured', () => {
    expect(quantile(hundred, 0.5)).toBe(51);
    expect(quantile(hundred, 0.99)).toBe(100);
    expect(quantile([7], 0.99)).toBe(7);
    expect(median([9, 1, 5])).toBe(5);
  });

  it('of nothing are an error', () => {
    expect(() => median([])).toThrow('nothing was measured');
  });
});

describe('figures of two versions', () => {
  const shown = (value: number, name = 'one'): Shown[] => [
    { title: 'Title', figures: [{ name, value, unit: 'ms', most: 3 }] },
  ];

  it('are medians of the turns of each, beside each other, of what both have', () => {
    const now = [shown(3), shown(1), [...shown(2), ...shown(7, 'new')]];
    const before = [shown(10), shown(30), shown(20)];
    const figures = [{ name: 'one', value: 2, unit: 'ms', baseline: { name: 'before', value: 20 } }];
    expect(besideBefore(now, before)).toEqual([{ title: 'Title', figures }]);
  });
});
