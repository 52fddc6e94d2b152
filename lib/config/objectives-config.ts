import * as z from 'zod';
import { boolean, integer, must } from './fields.ts';

/** Below, the quickest burn that is watched would be more than all requests; above, a month has too few failures to count. */
const MIN_PERCENT = 94;
const MAX_PERCENT = 99.99;
const PERCENT_FORM = `a number from ${MIN_PERCENT} to ${MAX_PERCENT}`;
const MAX_LATENCY_MS = 60_000;

/** Share of an interface's responses that are to be good, in percent over 30 days. */
function percent(value: number) {
  const reason = must(PERCENT_FORM);
  return z.number(reason).min(MIN_PERCENT, reason).max(MAX_PERCENT, reason).default(value);
}

function objective(answeredPercent: number, latencyMs: number, fastPercent: number) {
  return z
    .strictObject(
      {
        /** Responses that do not fail for a reason of ours, or of our nodes. */
        answeredPercent: percent(answeredPercent),
        /** Time within which `fastPercent` of the responses are to be ready. */
        latencyMs: integer(1, MAX_LATENCY_MS).default(latencyMs),
        fastPercent: percent(fastPercent),
      },
      must('an object'),
    )
    .prefault({});
}

/** Service level objectives, whose error budgets have alarms: of JSON-RPC without the time of its nodes, and of the Data API. */
export const objectives = z
  .strictObject(
    {
      enabled: boolean.default(true),
      rpc: objective(99.9, 300, 99),
      data: objective(99.5, 2_000, 97),
    },
    must('an object'),
  )
  .prefault({});

/** The objective of one interface. */
export type Objective = Omit<z.output<typeof objectives>, 'enabled'>['rpc' | 'data'];
