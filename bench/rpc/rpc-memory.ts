import type { Figure } from '../figures.ts';
import type { Drive, Driven } from './rpc-function.ts';
import type { Worker } from './rpc-processes.ts';
import { SINGLE_CALL, TRACE_CALL } from './rpc-requests.ts';

/** Just under what a chain lets pass by default, with the envelope around it. */
export const RESULT_BYTES = 32 * 2 ** 20 - 4_096;
/** Small requests before the large one, so that what the function keeps anyway is there. */
const SMALL_REQUESTS = 300;
/** Large requests after the first, one after the other, as one Lambda instance gets them. */
const FURTHER_REQUESTS = 10;
const PATIENT_MS = 60_000;
const MOST_RATIO = 3;
const BYTES_PER_MIB = 2 ** 20;
const ENCODINGS = ['identity', 'br', 'gzip'];

/** Peak memory above the idle function, for each coding of the response in a process of its own. */
export async function measureMemory(
  startFunction: () => Worker<Drive, Driven>,
  apiKey: string,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const encoding of ENCODINGS) {
    const lambda = startFunction();
    try {
      figures.push(...(await measureCoding(lambda, apiKey, encoding)));
    } finally {
      await lambda.close();
    }
  }
  return figures;
}

async function measureCoding(
  lambda: Worker<Drive, Driven>,
  apiKey: string,
  encoding: string,
): Promise<Figure[]> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json', 'accept-encoding': encoding };
  const send = (body: string, mostRequests: number) =>
    lambda.ask({ body, headers, atOnce: 1, mostRequests, durationMs: PATIENT_MS });
  await send(SINGLE_CALL, SMALL_REQUESTS);
  const { idleBytes, peakBytes } = await send(TRACE_CALL, 1);
  const later = await send(TRACE_CALL, FURTHER_REQUESTS);
  const baseline = { name: 'result', value: RESULT_BYTES / BYTES_PER_MIB };
  const above = (bytes: number) => ({ value: (bytes - idleBytes) / BYTES_PER_MIB, unit: 'MiB', baseline });
  return [
    { name: `${encoding}: one result`, ...above(peakBytes), mostRatio: MOST_RATIO },
    { name: `${encoding}: ${FURTHER_REQUESTS} more in a row`, ...above(later.peakBytes) },
    { name: `${encoding}: idle, itself`, value: idleBytes / BYTES_PER_MIB, unit: 'MiB' },
  ];
}
