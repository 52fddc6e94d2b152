/**
 * Entry of the access layer: everything that functions import as `gateway-access`. Loading it does no I/O. The clients of
 * AWS are part of it, so that a function and its layer hold the SDK once.
 */
// biome-ignore-all lint/performance/noBarrelFile: a layer is one module, found by one name.
export { default as middy } from '@middy/core';
export { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
export { connectQueue } from '../aws/queue.ts';
export { connectRdsData } from '../aws/rds-data.ts';
export { connectSecrets } from '../aws/secrets.ts';
export { type AccountStatement, showAccount } from './accounts/account-statement.ts';
export { answerErrors, type RenderFailure } from './answer-errors.ts';
export { API_KEY_PATTERN } from './api-key.ts';
export { type AuthenticatedEvent, type AuthenticateOptions, authenticate, notFound } from './authenticate.ts';
export type { CachedAnswer, CacheStore } from './cache-store.ts';
export { isTooLate, type LaneTotal } from './charge/lane.ts';
export { decodeLane } from './charge/lane-message.ts';
export { type Storing, storeBehindMark } from './charge/store-behind-mark.ts';
export { presentedKey } from './credential.ts';
export type { HttpResponse } from './http-response.ts';
export { type LimitUnmeteredOptions, limitUnmetered } from './limit-unmetered.ts';
export type {
  Admission,
  ChargeOutcome,
  KeyHolder,
  LimitState,
  Meter,
  MethodUsage,
  Price,
  Refusal,
} from './metering.ts';
export { openCacheStore } from './open-cache-store.ts';
export { openMeter, openStore } from './open-meter.ts';
export { rateLimitHeaders, retryAfterSeconds } from './rate-limit-headers.ts';
export { type ReadSecret, readSecret } from './secret.ts';
export { type Store, StoreUnavailableError } from './store.ts';
export { OTHER_METHOD } from './usage-text.ts';
export { openWaitingStore } from './waiting-store.ts';
