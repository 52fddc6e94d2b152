import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CountedOperations,
  countOperations,
  type KindOperations,
} from '../../bench/cost/count-operations.ts';
import { BILLED_STAGE, readCountedFile } from '../../bench/cost/counted-file.ts';
import { KIND_NAMES } from '../../bench/cost/request-kinds.ts';
import { readStageResources } from '../../bench/cost/stage-resources.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { copyGateway } from '../support/prepared-gateway.ts';
import { synthesisedOnce } from '../support/synthesised-once.ts';

const COUNT_WITHIN_MS = 300_000;
const REQUESTS = 3;
/** Times in log lines have more digits on one machine than on another. */
const LOG_TOLERANCE = 0.1;
const LANE_READS_TOLERANCE = 3;

const committed = readCountedFile();

describe('the operations that the bill is made from', () => {
  let counted: CountedOperations;
  beforeAll(async () => {
    counted = await countOperations(REQUESTS, false, (dataDir) => copyGateway('demo', dataDir));
  }, COUNT_WITHIN_MS);

  it.each(KIND_NAMES)('%s does what was counted', (kind) => {
    expect(exact(counted.kinds[kind])).toEqual(exact(committed.counted.kinds[kind]));
  });

  it.each(KIND_NAMES)('%s writes about the log lines that were counted', (kind) => {
    for (const log of ['logBytes', 'accessLogBytes'] as const) {
      const bytes = committed.counted.kinds[kind][log];
      expect(Math.abs(counted.kinds[kind][log] - bytes)).toBeLessThan(bytes * LOG_TOLERANCE);
    }
  });

  it('a block is not written to the shared answers before it is asked for again', () => {
    const writing = KIND_NAMES.filter((kind) => (counted.kinds[kind].writes.answers ?? 0) > 0);
    expect(writing).toEqual([]);
  });

  it('the books take what was counted', () => {
    for (const book of ['settlement', 'audit'] as const) {
      const { reads, writes } = committed.counted[book];
      expect(counted[book].writes).toBe(writes);
      // How many lanes are read depends on how many processes the local run had.
      expect(Math.abs(counted[book].reads - reads)).toBeLessThanOrEqual(LANE_READS_TOLERANCE);
    }
  });
});

describe('the stage that is billed', () => {
  it('has what was read: functions, schedules, queues, alarms, secrets, metrics', () => {
    const { folder, stackName } = synthesisedOnce(BILLED_STAGE);
    expect(readStageResources(loadTemplate(folder, stackName))).toEqual(committed.resources);
  });
});

/**
 * What does not depend on the machine, or on which blocks were asked for: of each request, not of one in a few. Views
 * are read again as they age, and a draw that another process has overtaken is made twice.
 */
function exact(kind: KindOperations) {
  const { reads, writes, sqsMessages, databaseCalls, invocations, billedCu, clientCalls, nodeCalls } = kind;
  const { answers: _, ...metering } = writes;
  return {
    reads: whole(reads),
    metering: whole(metering),
    sqsMessages,
    databaseCalls,
    clientCalls: Math.floor(clientCalls),
    nodeCalls: Math.floor(nodeCalls),
    invocations,
    billedCu,
  };
}

function whole(perRequest: Readonly<Record<string, number>>): Record<string, number> {
  const each = Object.entries(perRequest).map(([table, units]) => [table, Math.floor(units)] as const);
  return Object.fromEntries(each.filter(([, units]) => units > 0));
}
