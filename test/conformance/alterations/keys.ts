import { type Alteration, withText } from '../altered-transport.ts';
import type { Seen } from '../seen.ts';
import { anyCall, byClause, header, json, merged, status } from './alter.ts';

const anything = () => true;

/** The answer to a key that is none. */
const refused = (seen: Seen): Seen => ({ ...withText(seen, ''), status: 404 });

/** Ways in which keys and routes may be wrong. */
export const KEY_ALTERATIONS: readonly Alteration[] = [
  ...byClause({
    'authentication.6': {
      'an unknown key gets 401': (seen) =>
        seen.status === 404 && seen.text === '' ? { ...seen, status: 401 } : seen,
      'an unknown key gets a body': (seen) =>
        seen.status === 404 && seen.text === '' ? { ...seen, text: '{}', json: {} } : seen,
      'a malformed key gets 400': (seen, { headers }) =>
        headers['x-api-key'] === 'rgw_short' ? { ...seen, status: 400 } : seen,
      'a missing key gets 401': (seen, { headers, path }) =>
        path === '/v1/data/chains' && headers['x-api-key'] === undefined ? { ...seen, status: 401 } : seen,
    },
    'authentication.3.2': {
      'Bearer wins over x-api-key': (seen, { headers }) =>
        headers.authorization?.includes('00000') === true ? refused(seen) : seen,
    },
    'authentication.3.3': {
      'an empty x-api-key hides Bearer': (seen, { headers }) =>
        headers['x-api-key'] === '' ? refused(seen) : seen,
    },
    'endpoints.2': {
      'Bearer is not taken': (seen, { headers }) =>
        headers.authorization !== undefined ? refused(seen) : seen,
    },
    'endpoints.1': {
      'a key in the path is not taken': (seen, { path }) =>
        path.startsWith('/v1/rgw_') ? refused(seen) : seen,
      'the answer has another id than the call': json(anyCall, (body) => merged(body, { id: 8 })),
    },
    'authentication.3.1': {
      'a header wins over the key in the path': (seen, { path, headers }) =>
        path.startsWith('/v1/rgw_') && headers['x-api-key'] !== undefined ? refused(seen) : seen,
    },
    'authentication.4': {
      'the Data API takes no key from x-api-key': (seen, { path }) =>
        path === '/v1/data/chains' ? refused(seen) : seen,
    },
    'endpoints.3': {
      'the redirect is a 308': status(anything, 301, 308),
      'the redirect goes elsewhere': header(anything, 'location', () => '/'),
    },
    'endpoints.4': {
      'GET /v1/ is answered': (seen, { method, path }) =>
        method === 'GET' && path === '/v1/' ? { ...seen, status: 200 } : seen,
    },
    'endpoints.5': {
      'POST on routes of the Data API is answered': (seen, { method, path }) =>
        method === 'POST' && path.startsWith('/v1/data') ? { ...seen, status: 200 } : seen,
    },
    'versioning.1': {
      'paths without the version are answered': (seen, { path }) =>
        path.startsWith('/v1') ? seen : { ...seen, status: 200 },
    },
    'status.4': {
      'HEAD of the status is 404': (seen, { method }) =>
        method === 'HEAD' ? { ...seen, status: 404 } : seen,
      'HEAD of a route with a key is 200': (seen, { method }) =>
        method === 'HEAD' ? { ...seen, status: 200 } : seen,
    },
    'status.3': {
      'the status has no CORS': header(anything, 'access-control-allow-origin', () => null),
      'CORS of the status names one origin': header(
        anything,
        'access-control-allow-origin',
        () => 'https://example.com',
      ),
    },
  }),
];
