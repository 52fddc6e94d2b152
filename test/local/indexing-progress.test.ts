import { renderProgress } from '../../local/indexing-progress.ts';

const at = (indexed: number, head: number, atMs: number) => ({ indexed, head, atMs });

test.each([
  ['the first look has no rate', at(100, 1_000, 0), at(100, 1_000, 0), 'x: indexed block 100 of 1000'],
  [
    'then there is one, and the time that is left at it',
    at(100, 1_000, 0),
    at(400, 1_000, 2_000),
    'x: indexed block 400 of 1000, 150 blocks/s, 4 s left',
  ],
  ['it stands still', at(100, 1_000, 0), at(100, 1_001, 5_000), 'x: indexed block 100 of 1001'],
  ['nothing is stored yet', at(-1, 10, 0), at(-1, 10, 9), 'x: indexed block 0 of 10'],
  [
    'it is halted, however far it had come',
    at(100, 90, 0),
    { ...at(100, 90, 1), halted: 'block 80 is another' },
    'x is halted at block 100: block 80 is another. npm start -- --resume x lets it go on, --rebuild x makes it anew',
  ],
  ['it is there', at(100, 1_000, 0), at(1_000, 1_000, 1), 'x is indexed up to block 1000'],
])('%s', (_, first, now, line) => expect(renderProgress('x', first, now)).toBe(line));
