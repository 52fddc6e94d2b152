/** What each kind of request does is what the bill is made from: docs/cost.md, "Where the figures come from". */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BILLED_STAGE, type CountedOperations, readCountedFile } from '../../bin/cost/counted-file.ts';
import { readStageResources } from '../../bin/cost/stage-resources.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { copyGateway } from '../support/prepared/prepared-gateway.ts';
import { synthesisedOnce } from '../support/synthesised-once.ts';
import { countBooks } from './count-books.ts';
import { countBackground, countKinds, KIND_NAMES, withCountedStage } from './count-operations.ts';

type KindOperations = CountedOperations['kinds'][keyof CountedOperations['kinds']];

const COUNT_WITHIN_MS = 480_000;
/** Bounds of what the index asks its node, and the database, in a second: 2 calls a block, and a transaction of some 25 statements. */
const NODE_CALLS = { least: 6, most: 8.1 };
const DATABASE_CALLS = { least: 15, most: 45 };
/** A machine that is late follows in smaller pages and asks more: what is counted here may be this many times the bound of the bill. */
const LATE_MACHINE = 1.5;
/** Requests and responses that lines name have more digits on one chain than on another. */
const LOG_TOLERANCE = 0.1;

const committed = readCountedFile();

describe('the operations that the bill is made from', () => {
  let kinds: CountedOperations['kinds'];
  let background: CountedOperations['background'];
  beforeAll(async () => {
    [kinds, background] = await withCountedStage(
      async (stage) => [await countKinds(stage), await countBackground(stage, 1)] as const,
      (dataDir) => copyGateway('demo', dataDir),
    );
  }, COUNT_WITHIN_MS);

  it.each([
    ['are counted', () => background, LATE_MACHINE],
    ['stand on the bill', () => committed.counted.background, 1],
  ] as const)(
    'calls of the node and of the database at 4 blocks/s, from the head on: those that %s',
    (_, of, times) => {
      const { nodeCalls, databaseCalls } = of();
      expect(nodeCalls).toBeGreaterThanOrEqual(NODE_CALLS.least / times);
      expect(nodeCalls).toBeLessThanOrEqual(NODE_CALLS.most * times);
      expect(databaseCalls).toBeGreaterThanOrEqual(DATABASE_CALLS.least / times);
      expect(databaseCalls).toBeLessThanOrEqual(DATABASE_CALLS.most * times);
    },
  );

  it.each(KIND_NAMES)('%s does what was counted', (kind) => {
    expect(exact(kinds[kind])).toEqual(exact(committed.counted.kinds[kind]));
  });

  it.each(KIND_NAMES)('%s writes about the log lines that were counted', (kind) => {
    for (const log of ['logBytes', 'accessLogBytes'] as const) {
      const bytes = committed.counted.kinds[kind][log];
      expect(Math.abs(kinds[kind][log] - bytes)).toBeLessThan(bytes * LOG_TOLERANCE);
    }
  });

  it('a block is not written to the shared answers before it is asked for again', () => {
    const writing = KIND_NAMES.filter((kind) => (kinds[kind].writes.answers ?? 0) > 0);
    expect(writing).toEqual([]);
  });

  it(
    'the books take what was counted',
    async () => {
      const { settlement, audit } = committed.counted;
      expect(await countBooks()).toEqual({ settlement, audit });
    },
    COUNT_WITHIN_MS,
  );
});

describe('the stage that is billed', () => {
  it('has what was read: functions, schedules, queues, alarms, secrets, metrics', () => {
    const { folder, stackName } = synthesisedOnce(BILLED_STAGE);
    expect(readStageResources(loadTemplate(folder, stackName))).toEqual(committed.resources);
  });
});

/** What does not depend on the machine, or on what the chain holds. */
function exact({
  localMs: _,
  responseBytes: __,
  logBytes: ___,
  accessLogBytes: ____,
  ...counts
}: KindOperations) {
  return counts;
}
