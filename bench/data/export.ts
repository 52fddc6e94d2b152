/**
 * A list of transfers as one file beside its pages of 500, as a client takes both through the whole local path.
 * `npm run bench -- export [--transfers N]`
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIds } from '../../local/processes/machine.ts';
import type { RunningGateway } from '../../test/end-to-end/running-gateway.ts';
import { runBenchmark, type Show } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { CHAIN } from '../stage.ts';
import { PAGE_ROWS, type Rate, type Take, takeFiles, takePages } from './export-rate.ts';
import { withSeededGateway } from './seeded.ts';

const DEFAULT_TRANSFERS = 1_000_000;
/** Rows that are read by pages: their rate does not change along the list. */
const PAGED_ROWS = 50_000;
const WARM_UP_ROWS = 10_000;
/** What the way from a client to API Gateway and back takes for each request, about: none, and within a continent. */
const CLIENT_DELAYS_MS = [0, 20];
const LEAST_RATIO = 5;
/** Most that the function may hold in the middle and at the end of a list, relative to the first tenth of it. */
const MOST_GROWTH = 1.3;
/** In the environment of the processes of the data function. */
const DATA_FUNCTION = 'AWS_LAMBDA_FUNCTION_NAME=gateway-bench-FunctionsDataFunction';
const SAMPLE_MS = 250;
const MIB = 2 ** 20;
const KIB = 2 ** 10;

const LIST = 'transfers?order=asc&';

/** As a client takes it over HTTP, compressed where it says nothing else; each request is so long on its way. */
function overHttp({ baseUrl, apiKey }: RunningGateway, delayMs: number): Take {
  return async function* (query) {
    if (delayMs > 0) await sleep(delayMs);
    const response = await fetch(`${baseUrl}/v1/data/${CHAIN}/${LIST}${query}`, {
      headers: { 'x-api-key': apiKey },
    });
    if (response.status !== 200 || response.body === null) throw new Error(`HTTP ${response.status}`);
    const decoder = new TextDecoder();
    for await (const piece of response.body) yield decoder.decode(piece, { stream: true });
  };
}

function residentMib(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kib) * KIB) / MIB;
}

/** Takes the resident memory of the data function time and again: that of the largest, should there be several, in MiB. */
function sampleMemory(): { readonly stop: () => readonly number[] } {
  const processes = processIds('environ', (variables) => variables.includes(DATA_FUNCTION));
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(Math.max(...processes.map(residentMib))), SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return samples;
    },
  };
}

async function overHttpWay(
  gateway: RunningGateway,
  delayMs: number,
  transfers: number,
): Promise<readonly Figure[]> {
  const take = overHttp(gateway, delayMs);
  await takePages(take, WARM_UP_ROWS);
  await takeFiles(take, 'csv', 1);
  const pages = await takePages(take, PAGED_ROWS);
  const figures: Figure[] = [];
  for (const format of ['csv', 'ndjson'] as const) {
    const memory = sampleMemory();
    const file = await takeFiles(take, format, transfers);
    figures.push(...figuresOf(`${format} of ${file.rows.toLocaleString('en')} rows`, file, pages));
    figures.push(...memoryFigures(format, memory.stop()));
  }
  return figures;
}

function figuresOf(name: string, file: Rate, pages: Rate): Figure[] {
  const baseline = { name: `pages of ${PAGE_ROWS}`, value: pages.rowsPerSecond };
  return [
    { name, value: file.rowsPerSecond, unit: 'rows/s', baseline, leastRatio: LEAST_RATIO },
    { name: `${name}: files that it takes`, value: file.responses, unit: 'files' },
    { name: `${name}: before it is compressed`, value: file.bytes / file.rows, unit: 'bytes a row' },
  ];
}

/** What was held from a tenth of the list on, when everything is warm: in the middle, and at the end. */
function memoryFigures(name: string, samples: readonly number[]): Figure[] {
  const at = (share: number) => samples[Math.floor((samples.length - 1) * share)] ?? 0;
  const baseline = { name: 'at a tenth of it', value: at(0.1) };
  return [
    { name: `${name}: resident memory at the start`, value: at(0), unit: 'MiB' },
    { name: `${name}: in the middle`, value: at(0.5), unit: 'MiB', baseline, mostRatio: MOST_GROWTH },
    { name: `${name}: at the end`, value: at(1), unit: 'MiB', baseline, mostRatio: MOST_GROWTH },
  ];
}

async function measure(transfers: number, show: Show): Promise<void> {
  await withSeededGateway(transfers, async (gateway) => {
    for (const delayMs of CLIENT_DELAYS_MS)
      show(
        `Over HTTP, each request delayed by ${delayMs} ms`,
        await overHttpWay(gateway, delayMs, transfers),
      );
  });
}

await runBenchmark({ transfers: DEFAULT_TRANSFERS }, (show, { transfers }) => measure(transfers, show));
