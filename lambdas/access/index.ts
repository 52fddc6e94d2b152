/**
 * Entry of the access layer: everything that functions import as `gateway-access`. Loading it does no I/O. The clients of
 * AWS are part of it, so that a function and its layer hold the SDK once.
 */
// biome-ignore-all lint/performance/noBarrelFile: a layer is one module, found by one name.
export { default as middy } from '@middy/core';
export { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
export { type CacheStore, openCacheStore, type StoredResponse } from '../shared/aws/cache-store.ts';
export {
  cacheSecrets,
  createSecretFetcher,
  readSecret,
} from '../shared/aws/cached-secrets.ts';
export { connectHeadSigner } from '../shared/aws/head-signer.ts';
export { connectObjects } from '../shared/aws/object-store.ts';
export { connectQueue } from '../shared/aws/queue.ts';
export { connectRdsData } from '../shared/aws/rds-data.ts';
export { connectSecrets } from '../shared/aws/secrets.ts';
export { connectLambda, connectSigned } from '../shared/aws/signed-service.ts';
export type { PriceBounds, ToldBill } from './bill-check.ts';
export { rateLimitHeaders, retryAfterSeconds } from './bucket/bucket.ts';
export { openWaitingStore } from './bucket/waiting-store.ts';
export { isTooLate, type LaneTotal, type Storing, storeBehindMark } from './charge/lane.ts';
export { decodeLane } from './charge/lane-message.ts';
export { pricedName } from './charge/usage-text.ts';
export type { HttpResponse } from './contract/http-response.ts';
export type { KeyBounds } from './contract/key-bounds.ts';
export type {
  Admission,
  KeyHolder,
  LimitState,
  Meter,
  MeterRefusal,
  MethodUsage,
  Price,
} from './contract/metering.ts';
export type { RefusalStore, RefusalsDescription } from './contract/refusals.ts';
export { API_KEY_PATTERN, isChainAllowed, isMethodAllowed, isOperationAllowed } from './keys/api-key.ts';
export {
  type AuthenticatedEvent,
  authenticate,
  isBlamelessStatus,
  limitUnmetered,
  notFound,
} from './middlewares.ts';
export { openMeter, openStore } from './open-meter.ts';
export { type Conclude, type PriceOfAnswer, RunFigures } from './run-figures.ts';
export { openGivenHeadStore } from './store/given-head-store.ts';
export { rememberPriceLists } from './store/price-lists.ts';
export { describeRefusals, openRefusalStore } from './store/refusal-store.ts';
export { openSharedTextStore } from './store/shared-text-store.ts';
export { type Item, type Store, StoreUnavailableError } from './store/store.ts';
