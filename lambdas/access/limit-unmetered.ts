import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { bytesOfPieces } from '../shared/http/body-pieces.ts';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { systemTelemetry, type Telemetry } from '../shared/runtime/telemetry.ts';
import { type AuthenticatedEvent, notFound } from './authenticate.ts';
import { UnmeteredRequests, unmeteredWeight } from './bucket/unmetered.ts';
import type { HttpResponse } from './contract/http-response.ts';
import type { Meter } from './contract/metering.ts';

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
  const requests = new UnmeteredRequests();
  return {
    before: async ({ event }) => {
      const waitMs = requests.waitMs(event.holder.keyId, clock.now());
      if (waitMs === 0) return undefined;
      if (!(await meter.isActive(event.holder))) return notFound(event.requestContext.requestId);
      telemetry.emit({ values: { RefusedForRate: 1 } }, clock.now());
      return limited(event, waitMs);
    },
    after: ({ event, response }) => {
      if (response === null || response === undefined) return;
      if (event.blameless === true || !isUnmetered(response)) return;
      const weight = unmeteredWeight(event.body?.length ?? 0, event.responseBytes ?? bytesOf(response));
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
