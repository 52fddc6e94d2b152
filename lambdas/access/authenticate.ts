import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { decodeSegment } from '../shared/http/decode-segment.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { ClientAddressSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry, type Telemetry } from '../shared/runtime/telemetry.ts';
import { clientAddress } from './client-address.ts';
import type { HttpResponse } from './contract/http-response.ts';
import type { BoundApi } from './contract/key-bounds.ts';
import type { KeyHolder, Meter } from './contract/metering.ts';
import { API_KEY_PATTERN } from './keys/api-key.ts';
import { presentedKey } from './keys/credential.ts';
import { StoreUnavailableError } from './store/store.ts';

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
  /** Set by a function whose response is a stream: the bytes that it has, uncompressed. @default those of the body */
  responseBytes?: number;
}

export interface AuthenticateOptions {
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
  if (pathParameters?.api_key !== undefined) return decodeSegment(pathParameters.api_key);
  const credential = decodeSegment(pathParameters?.credential ?? '');
  return API_KEY_PATTERN.test(credential) ? credential : undefined;
}
