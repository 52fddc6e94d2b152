/** What a key got is there when it is asked for by its hash: every place of the late node, eight seeds. */
import { BY_HASH, LATE_NODES, missing } from './absent-answers.ts';

const SEEDS = 8;
const TIME_LIMIT_MS = 300_000;

test.each(BY_HASH)(
  'what a key was given is there by its hash: %s',
  async (...asked) => {
    let wrong = 0;
    for (let seed = 1; seed <= SEEDS; seed++)
      for (const late of LATE_NODES) wrong += await missing(late, asked, seed);
    expect(wrong).toBe(0);
  },
  TIME_LIMIT_MS,
);
