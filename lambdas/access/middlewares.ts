import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bytesOfPieces, headerOf } from '../shared/http/body-pieces.ts';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { ClientAddressSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry, type Telemetry } from '../shared/runtime/telemetry.ts';
import type { ToldBill } from './bill-check.ts';
import { UnmeteredRequests, unmeteredWeight } from './bucket/unmetered.ts';
import type { HttpResponse } from './contract/http-response.ts';
import type { BoundApi } from './contract/key-bounds.ts';
import type { KeyHolder, Meter } from './contract/metering.ts';
import { API_KEY_PATTERN } from './keys/api-key.ts';
import { StoreUnavailableError } from './store/store.ts';

/** Where a request may carry its key. Header names are matched in any case. */
interface CredentialSource {
  /** The key of the URL path, if the route has one. */
  readonly pathKey?: string | undefined;
  readonly headers: Readonly<Record<string, string | undefined>> | null;
}
const BEARER = /^bearer\s+(.+)$/is;

/** What of a request tells where it comes from. */
interface Origin {
  readonly headers: Readonly<Record<string, string | undefined>> | null;
  /** Address of the connection to API Gateway. */
  readonly sourceIp: string | undefined;
}

/** The event of a request whose key is active. */
export interface AuthenticatedEvent extends APIGatewayProxyEvent {
  holder: KeyHolder;
  /**
   * Set by the function if its response is free because no node answered, and not because of the request. @default
   * false
   */
  blameless?: boolean;
  /** Set by the function if its response tells of a defect of the gateway, whatever its status. @default false */
  hasFailed?: boolean;
  /** Set by the function if the request needs no key: anybody could make its 404 count. @default false */
  isKeyless?: boolean;
  /** Set by a function whose response is a stream: the bytes that it has, uncompressed. @default those of the body */
  responseBytes?: number;
  /** Set by a function once the end of a file has been sent, which has its bill. @default headers have it */
  toldBill?: ToldBill;
}

interface AuthenticateOptions {
  readonly meter: Pick<Meter, 'authenticate'>;
  /** The interface that the function serves. @default one that every key may use */
  readonly api?: BoundApi;
  /** The operator's own proxy. @default none */
  readonly clientAddress?: ClientAddressSettings | undefined;
  /** Response when the store cannot look up the key. */
  readonly unavailable: (event: APIGatewayProxyEvent) => HttpResponse;
  /** @default systemTelemetry */
  readonly telemetry?: Telemetry;
}

/**
 * Sets `event.holder` to the holder of the presented key, or answers: one and the same {@link notFound} for a
 * missing, malformed, unknown or disabled key, and for one that is bound to other interfaces, addresses or times. The
 * address is that of the connection to API Gateway, or what the operator's own proxy says: what a client says of itself in
 * a header is not read.
 */
export function authenticate({
  meter,
  api,
  unavailable,
  clientAddress: trusted,
  telemetry = systemTelemetry,
}: AuthenticateOptions): MiddlewareObj<AuthenticatedEvent, HttpResponse> {
  return {
    before: async ({ event }) => {
      try {
        const { sourceIp } = event.requestContext.identity ?? {};
        const address = clientAddress({ headers: event.headers, sourceIp }, trusted);
        const holder = await meter.authenticate(
          presentedKey({ pathKey: pathKeyOf(event), headers: event.headers }),
          { api, address },
        );
        if (holder === undefined) return notFound(event.requestContext.requestId);
        // One for each request: what is charged to it is counted for its run.
        event.holder = { ...holder, ...(holder.bounds !== undefined && { address }) };
        return undefined;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        telemetry.emit({ values: { RefusedForUnavailability: 1 } }, systemClock.now());
        telemetry.log('warn', 'authentication_unavailable', {
          requestId: event.requestContext.requestId,
          error: errorField(error),
        });
        return unavailable(event);
      }
    },
  };
}

/**
 * The response without any information: 404 with an empty body. Its type is not JSON, because clients would fail on the
 * empty body and hide the status.
 */
export function notFound(requestId: string): HttpResponse {
  return {
    statusCode: 404,
    headers: { 'Content-Type': 'text/plain', 'X-Request-Id': requestId },
    body: '',
  };
}

/** `{api_key}` is always a key; `{credential}` is a key or the name of a chain. */
function pathKeyOf({ pathParameters }: APIGatewayProxyEvent): string | undefined {
  const credential = pathParameters?.credential;
  if (pathParameters?.api_key !== undefined) return pathParameters.api_key;
  return credential !== undefined && API_KEY_PATTERN.test(credential) ? credential : undefined;
}

/**
 * The address that a request comes from: of the connection, or what the operator's own proxy says. The header is read only
 * beside the proxy's proof; a client that sends it without has gained nothing.
 * @param settings of the stage; absent: no proxy is trusted
 */
export function clientAddress(
  { headers, sourceIp }: Origin,
  settings?: ClientAddressSettings,
): string | undefined {
  if (settings === undefined) return sourceIp;
  const proof = headerOf(headers, settings.proofHeader);
  const accepted = settings.proofSha256.map((hex) => Buffer.from(hex, 'hex'));
  if (proof === undefined || !isOneOf(proof, accepted)) return sourceIp;
  // A proxy that proves itself and names no address is not the client.
  return headerOf(headers, settings.header)?.trim();
}

/** SHA-256 of a secret that travels in a header, whose bytes are Latin-1. */
function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'latin1').digest();
}

/** Whether a secret is one of those with these digests. Digests are compared, and each in the same time. */
function isOneOf(presented: string, accepted: readonly Uint8Array[]): boolean {
  const digest = secretDigest(presented);
  return accepted.filter((one) => timingSafeEqual(digest, one)).length > 0;
}

/**
 * The key that a request presents: the key in the path, even an invalid one; else a non-empty `x-api-key`; else
 * `Authorization: Bearer`. Undefined if absent. Only white space around a header's value is dropped.
 */
export function presentedKey({ pathKey, headers }: CredentialSource): string | undefined {
  if (pathKey !== undefined) return pathKey;
  const apiKey = headerOf(headers, 'x-api-key')?.trim() ?? '';
  if (apiKey !== '') return apiKey;
  return BEARER.exec(headerOf(headers, 'authorization')?.trim() ?? '')?.[1];
}

/** The specification has this status for each request of an account without a balance. */
const BALANCE_STATUS = 402;
/** From here on the gateway has failed, and not the caller. */
const FIRST_FAILURE_STATUS = 500;
const COST_HEADER = 'X-CU-Cost';

interface LimitUnmeteredOptions {
  readonly meter: Pick<Meter, 'isActive'>;
  /** Response to a key that has to wait, by milliseconds. */
  readonly limited: (event: APIGatewayProxyEvent, retryAfterMs: number) => HttpResponse;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemTelemetry */
  readonly telemetry?: Telemetry;
}

/**
 * Refuses a key that sends too many unbilled requests, before its request is read. Use it after `authenticate`. A
 * response counts if its request drew nothing from the bucket, as `X-CU-Cost` shows. Two kinds do not count: 402, which
 * is returned for as long as the balance is used up, and failures caused by the gateway or a node, so that a syncing
 * chain does not cut a key off from the others.
 */
export function limitUnmetered({
  meter,
  limited,
  clock = systemClock,
  telemetry = systemTelemetry,
}: LimitUnmeteredOptions): MiddlewareObj<AuthenticatedEvent, HttpResponse> {
  /** Made with the first of them. */
  let requests: UnmeteredRequests | undefined;
  return {
    before: async ({ event }) => {
      const waitMs = requests?.waitMs(event.holder.keyId, clock.now()) ?? 0;
      if (waitMs === 0) return undefined;
      if (!(await meter.isActive(event.holder))) return notFound(event.requestContext.requestId);
      telemetry.emit({ values: { RefusedForRate: 1 } }, clock.now());
      return limited(event, waitMs);
    },
    after: ({ event, response }) => {
      if (!response || event.blameless === true || !isUnmetered(response)) return;
      const weight = unmeteredWeight(event.body?.length ?? 0, event.responseBytes ?? bytesOf(response));
      requests ??= new UnmeteredRequests();
      requests.note(event.holder.keyId, weight, clock.now());
    },
  };
}

/** Bytes of a body that is known whole; in base64 four characters are three bytes. */
function bytesOf({
  body,
  isBase64Encoded = false,
}: HttpResponse & { readonly isBase64Encoded?: boolean }): number {
  if (typeof body !== 'string') return Array.isArray(body) ? bytesOfPieces(body) : 0;
  return isBase64Encoded ? Math.floor((body.length * 3) / 4) : Buffer.byteLength(body);
}

function isUnmetered({ statusCode, headers }: HttpResponse): boolean {
  return !isBlamelessStatus(statusCode) && Number(headers[COST_HEADER] ?? 0) === 0;
}

/** Whether a request with this HTTP status never counts against its key: 402, and failures of the gateway or a node. */
export function isBlamelessStatus(status: number): boolean {
  return status === BALANCE_STATUS || status >= FIRST_FAILURE_STATUS;
}
