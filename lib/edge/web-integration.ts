import type { Duration } from 'aws-cdk-lib';
import { HttpIntegration, type Integration, ResponseTransferMode } from 'aws-cdk-lib/aws-apigateway';
import { FRONT_HEADERS, NO_FRONT_VALUE } from '../../lambdas/shared/runtime/front-headers.ts';
import type { WebFunction } from '../functions/web-function.ts';
import type { ApiRoute } from './api-routes.ts';

/** The route whose path the function has to see: with a slash at its end or without. */
const ROUTE_WITH_PATH = '/v1';
const PARAMETER = /\{(\w+)\}/g;

/** How a route of a web function is integrated, and what its method must declare for that. */
export interface WebRoute {
  readonly integration: Integration;
  readonly requestParameters: Readonly<Record<string, boolean>>;
}

/**
 * Integrates a route with a web function. What an event would tell goes in headers, each of which every route sets, so that
 * none comes from a client. The URI is the same for all: a key must not stand in it.
 */
export function integrateWeb(
  { url, secret, frontSecret }: WebFunction,
  { method, path }: ApiRoute,
  timeout: Duration,
): WebRoute {
  const parameters = [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
  const ofPath = (name: string) =>
    parameters.includes(name) ? `method.request.path.${name}` : fixed(NO_FRONT_VALUE);
  const values: Readonly<Record<keyof typeof FRONT_HEADERS, string>> = {
    secret: fixed(secret.secretValueFromJson(frontSecret).unsafeUnwrap()),
    requestId: 'context.requestId',
    sourceIp: 'context.identity.sourceIp',
    resource: fixed(path),
    path: path === ROUTE_WITH_PATH ? 'context.path' : fixed(NO_FRONT_VALUE),
    credential: ofPath('credential'),
    apiKey: ofPath('api_key'),
  };
  return {
    integration: new HttpIntegration(url, {
      proxy: true,
      httpMethod: method,
      options: {
        timeout,
        responseTransferMode: ResponseTransferMode.STREAM,
        requestParameters: Object.fromEntries(
          Object.entries(FRONT_HEADERS).map(([header, name]) => [
            `integration.request.header.${name}`,
            values[header as keyof typeof FRONT_HEADERS],
          ]),
        ),
      },
    }),
    requestParameters: Object.fromEntries(parameters.map((name) => [`method.request.path.${name}`, true])),
  };
}

function fixed(value: string): string {
  return `'${value}'`;
}
