import { rmSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import type { Measurement } from '../../local/dashboard/metric-series.ts';
import type { FunctionConfiguration } from '../../local/functions/configuration.ts';
import type { LocalServices } from '../../local/functions/environment-variables.ts';
import { createPool } from '../../local/functions/pool.ts';
import type { Resolver } from '../../local/template/intrinsics.ts';
import type { Template } from '../../local/template/template.ts';
import { type Alteration, eventOf, openReleaseStage, withAlteredCode } from './release-stage.ts';

/** Number of requests of which the lines are kept. */
const REQUESTS = 4;

/** The metrics of each request, in their order. */
export type PrintedRequests = readonly (readonly Measurement[])[];

/** Runs versions of the JSON-RPC function of a stage, on an emulated store. */
export interface Releases {
  /** The metrics that a version prints for some requests of a key. @param defect of its code. @default none */
  print(version: string, defect?: Alteration): Promise<PrintedRequests>;
  close(): Promise<void>;
}

export async function openReleases(template: Template, resolver: Resolver): Promise<Releases> {
  const stage = await openReleaseStage(template, resolver);
  return {
    async print(version, defect) {
      const good = stage.version(version);
      const configuration = defect === undefined ? good : await withAlteredCode(good, defect);
      const printed = await printedBy(configuration, stage.services, stage.apiKey);
      if (defect !== undefined) rmSync(configuration.codeFolder, { recursive: true });
      return printed;
    },
    close: () => stage.close(),
  };
}

async function printedBy(
  configuration: FunctionConfiguration,
  services: LocalServices,
  apiKey: string,
): Promise<PrintedRequests> {
  let lines: string[] = [];
  const pool = createPool(configuration, services, (line) => lines.push(line), 0);
  const requests: Measurement[][] = [];
  try {
    // The first one also compiles: of a version that serves for a while it is one of many.
    for (let request = 0; request <= REQUESTS; request += 1) {
      const reply = await pool.invoke(eventOf(apiKey, request));
      if (reply.kind !== 'reply') throw new Error(`the function did not answer: ${JSON.stringify(reply)}`);
      await buffer(reply.body);
      const all = await measured(() => lines);
      if (request > 0) requests.push(all);
      lines = [];
    }
    return requests;
  } finally {
    await pool.close();
  }
}

/** The line of the run comes last: it is waited for, as the answer is sent before. */
async function measured(linesOf: () => readonly string[]): Promise<Measurement[]> {
  for (;;) {
    const all = linesOf().flatMap(parseEmbeddedMetrics);
    if (all.some(({ name }) => name === 'RunTime')) return all;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
