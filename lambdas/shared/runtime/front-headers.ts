/**
 * Headers by which API Gateway tells a web function what an event tells other functions. It sets all of them on every
 * route, over what a client sent under these names.
 */
export const FRONT_HEADERS = {
  /** Proof that the request comes from the API. */
  secret: 'x-gateway-secret',
  requestId: 'x-gateway-request-id',
  /** Address of the connection to API Gateway. */
  sourceIp: 'x-gateway-source-ip',
  /** Template of the route, such as `/v1/{credential}`. */
  resource: 'x-gateway-resource',
  /** Path with its stage; only of the route that has no parameters, as a key can stand in any other. */
  path: 'x-gateway-path',
  /** Parameters of the path. */
  credential: 'x-gateway-credential',
  apiKey: 'x-gateway-api-key',
} as const;

/** What a header says that has nothing to tell on its route. */
export const NO_FRONT_VALUE = '-';
