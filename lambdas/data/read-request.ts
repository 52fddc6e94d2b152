import type { AuthenticatedEvent } from 'gateway-access';
import { decodeSegment } from '../shared/http/decode-segment.ts';
import { headerOf } from '../shared/http/header-of.ts';
import type { DataRequest } from './handle-data.ts';

const CHAIN_LIST = '/v1/data/chains';
const CHAIN_RESOURCE = '/v1/data/{chain}';
const DEFAULT_CHAIN_RESOURCE = '/v1';

/** What of an event is the request. The resource says where in the path the chain is, if it is there at all. */
export function readRequest(event: AuthenticatedEvent): DataRequest {
  const { holder, resource, pathParameters, headers, requestContext } = event;
  const prefix = resource.startsWith(CHAIN_RESOURCE) ? CHAIN_RESOURCE : DEFAULT_CHAIN_RESOURCE;
  const rest = resource.slice(prefix.length).replace('{proxy+}', () => pathParameters?.proxy ?? '');
  return {
    holder,
    chain: prefix === CHAIN_RESOURCE ? decodeSegment(pathParameters?.chain ?? '') : undefined,
    path: resource === CHAIN_LIST ? undefined : rest,
    query: event.multiValueQueryStringParameters ?? {},
    ifNoneMatch: headerOf(headers, 'if-none-match'),
    requestId: requestContext.requestId,
  };
}
