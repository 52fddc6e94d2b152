import { priceOf, UNIT_PRICES } from '../../bin/prices/unit-prices.ts';
import type { Figure } from '../figures.ts';
import type { Drive, Driven } from './rpc-function.ts';
import type { Worker } from './rpc-processes.ts';
import { BATCH, SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';

/** Sizes of the function that are compared, in MB; the last one has a whole processor. */
const SIZES_MB = [512, 768, 1_024, 1_769];
/** Memory for which Lambda gives one processor: it gives a share of it for less. */
const ONE_PROCESSOR_MB = 1_769;
const MB_PER_GB = 1_024;
const BYTES_PER_MB = 2 ** 20;
/** Time of a node for a response, in milliseconds, as `npm run cost` assumes. */
const NODE_MS = 120;
const MILLION = 1e6;
const WARM_UP_REQUESTS = 500;
const MEASURED_MS = 1_000;
/** Results of the largest size in a row, as one Lambda instance gets them. */
const LARGE_REQUESTS = 6;
const PATIENT_MS = 60_000;

/**
 * What the function takes in each size: processor time of a request with the heap of that size, and from it the time that a
 * request takes longer there, what a million of them cost, and whether the largest results fit.
 */
export async function measureMemorySizes(
  startFunction: (memoryMb: number) => Worker<Drive, Driven>,
  apiKey: string,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const memoryMb of SIZES_MB) {
    const lambda = startFunction(memoryMb);
    try {
      figures.push(...(await measureSize(lambda, apiKey, memoryMb)));
    } finally {
      await lambda.close();
    }
  }
  return figures;
}

async function measureSize(
  lambda: Worker<Drive, Driven>,
  apiKey: string,
  memoryMb: number,
): Promise<Figure[]> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const send = (body: string, mostRequests: number, durationMs: number) =>
    lambda.ask({ body, headers, atOnce: 1, mostRequests, durationMs });
  await send(SINGLE_CALL, WARM_UP_REQUESTS, PATIENT_MS);
  const single = await send(SINGLE_CALL, Number.MAX_SAFE_INTEGER, MEASURED_MS);
  const batch = await send(BATCH, Number.MAX_SAFE_INTEGER, MEASURED_MS);
  const large = await send(TRACE_CALL, LARGE_REQUESTS, PATIENT_MS);
  const share = Math.min(1, memoryMb / ONE_PROCESSOR_MB);
  const stretched = ({ cpuMs, requests }: Driven) => cpuMs / requests / share;
  const figure = (name: string, value: number, unit: string) => ({
    name: `${memoryMb} MB: ${name}`,
    value,
    unit,
  });
  return [
    figure('processor time of a single call, stretched', stretched(single), 'ms'),
    figure('the same of a 100-call batch', stretched(batch), 'ms'),
    figure(
      `a million single calls, ${NODE_MS} ms of node each`,
      usdPerMillion(memoryMb, stretched(single)),
      'USD',
    ),
    { ...figure('peak memory of large results', large.peakBytes / BYTES_PER_MB, 'MiB'), most: memoryMb },
  ];
}

function usdPerMillion(memoryMb: number, processorMs: number): number {
  const gbSeconds = (MILLION * (NODE_MS + processorMs) * memoryMb) / MB_PER_GB / 1_000;
  return (
    priceOf(gbSeconds, UNIT_PRICES.lambdaGbSecond.tiers) + priceOf(MILLION, UNIT_PRICES.lambdaRequest.tiers)
  );
}
