import { randomBytes } from 'node:crypto';
import { connectRdsData, openWaitingStore, readSecret } from 'gateway-access';
import { hasChainDatabase, openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { Prices } from '../shared/methods/method-facts.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { ANSWER_KEY_VARIABLE, requireVariable } from '../shared/runtime/environment.ts';
import type { StageSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { createAddressStateReader, createNativeBalanceReader } from './address-state.ts';
import { createExportPlaces, PLACE_MS } from './export/export-places.ts';
import type { DataDependencies } from './handle-data.ts';
import { createSeal } from './plan/seal.ts';
import { createProofReader } from './proof/read-proof.ts';
import { createAllowanceReader } from './read-allowances.ts';

/** A client waits: a database that sleeps is answered with 503 soon, and wakes meanwhile. */
const RESUME_WAIT_MS = 1_500;
/** The same of a stage that lets its database sleep between batches. */
const BATCH_RESUME_WAIT_MS = 20_000;
/** Longest time for a statement and its response, in milliseconds. */
const QUERY_TIMEOUT_MS = 15_000;
const SEAL_KEY_BYTES = 32;

/** What answers Data API requests in a function's environment, to be opened once per instance. Does no I/O. */
export function openData(
  {
    chains,
    dataApi,
    metering,
    batchMinutes,
  }: Pick<StageSettings, 'batchMinutes' | 'chains' | 'dataApi' | 'metering'>,
  meter: DataDependencies['meter'],
  nodes: ReadonlyMap<string, ChainClient>,
): DataDependencies {
  return {
    meter,
    chains: chains.map(({ chain, chainId, default: isDefault, entryPoints }) => ({
      ...{ chain, chainId, isDefault },
      entryPoints,
    })),
    database: hasChainDatabase()
      ? openChainDatabase({
          connect: connectRdsData,
          timeoutMs: QUERY_TIMEOUT_MS,
          resumeWaitMs: batchMinutes === undefined ? RESUME_WAIT_MS : BATCH_RESUME_WAIT_MS,
        })
      : undefined,
    readState: createAddressStateReader(nodes, systemClock),
    readBalance: createNativeBalanceReader(nodes),
    readAllowances: createAllowanceReader(nodes, systemClock),
    readProof: createProofReader(chains, nodes, {
      readSecret,
      clock: systemClock,
      telemetry: systemTelemetry,
    }),
    clock: systemClock,
    prices: new Prices(metering.prices ?? [], systemClock),
    limits: dataApi,
    exportPlaces: createExportPlaces(
      dataApi,
      openWaitingStore(systemClock, { burstMs: PLACE_MS }),
      systemClock,
    ),
    // Without a database there is nothing to seal.
    seal: createSeal(hasChainDatabase() ? requireVariable(ANSWER_KEY_VARIABLE) : randomBytes(SEAL_KEY_BYTES)),
  };
}
