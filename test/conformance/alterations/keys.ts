import { type Alteration, withText } from '../altered-transport.ts';
import type { Seen } from '../seen.ts';
import { anyCall, header, json, merged, status } from './alter.ts';

const anything = () => true;

/** The answer to a key that is none. */
const refused = (seen: Seen): Seen => ({ ...withText(seen, ''), status: 404 });

/** Ways in which keys and routes may be wrong. */
export const KEY_ALTERATIONS: readonly Alteration[] = [
  {
    name: 'an unknown key gets 401',
    shownBy: 'authentication.6',
    alter: (seen) => (seen.status === 404 && seen.text === '' ? { ...seen, status: 401 } : seen),
  },
  {
    name: 'an unknown key gets a body',
    shownBy: 'authentication.6',
    alter: (seen) => (seen.status === 404 && seen.text === '' ? { ...seen, text: '{}', json: {} } : seen),
  },
  {
    name: 'a malformed key gets 400',
    shownBy: 'authentication.6',
    alter: (seen, { headers }) => (headers['x-api-key'] === 'rgw_short' ? { ...seen, status: 400 } : seen),
  },
  {
    name: 'a missing key gets 401',
    shownBy: 'authentication.6',
    alter: (seen, { headers, path }) =>
      path === '/v1/data/chains' && headers['x-api-key'] === undefined ? { ...seen, status: 401 } : seen,
  },
  {
    name: 'Bearer wins over x-api-key',
    shownBy: 'authentication.3.2',
    alter: (seen, { headers }) => (headers.authorization?.includes('00000') === true ? refused(seen) : seen),
  },
  {
    name: 'an empty x-api-key hides Bearer',
    shownBy: 'authentication.3.3',
    alter: (seen, { headers }) => (headers['x-api-key'] === '' ? refused(seen) : seen),
  },
  {
    name: 'Bearer is not taken',
    shownBy: 'endpoints.2',
    alter: (seen, { headers }) => (headers.authorization !== undefined ? refused(seen) : seen),
  },
  {
    name: 'a key in the path is not taken',
    shownBy: 'endpoints.1',
    alter: (seen, { path }) => (path.startsWith('/v1/rgw_') ? refused(seen) : seen),
  },
  {
    name: 'a header wins over the key in the path',
    shownBy: 'authentication.3.1',
    alter: (seen, { path, headers }) =>
      path.startsWith('/v1/rgw_') && headers['x-api-key'] !== undefined ? refused(seen) : seen,
  },
  {
    name: 'the Data API takes no key from x-api-key',
    shownBy: 'authentication.4',
    alter: (seen, { path }) => (path === '/v1/data/chains' ? refused(seen) : seen),
  },
  { name: 'the redirect is a 308', shownBy: 'endpoints.3', alter: status(anything, 301, 308) },
  {
    name: 'the redirect goes elsewhere',
    shownBy: 'endpoints.3',
    alter: header(anything, 'location', () => '/'),
  },
  {
    name: 'GET /v1/ is answered',
    shownBy: 'endpoints.4',
    alter: (seen, { method, path }) =>
      method === 'GET' && path === '/v1/' ? { ...seen, status: 200 } : seen,
  },
  {
    name: 'POST on routes of the Data API is answered',
    shownBy: 'endpoints.5',
    alter: (seen, { method, path }) =>
      method === 'POST' && path.startsWith('/v1/data') ? { ...seen, status: 200 } : seen,
  },
  {
    name: 'paths without the version are answered',
    shownBy: 'versioning.1',
    alter: (seen, { path }) => (path.startsWith('/v1') ? seen : { ...seen, status: 200 }),
  },
  {
    name: 'the answer has another id than the call',
    shownBy: 'endpoints.1',
    alter: json(anyCall, (body) => merged(body, { id: 8 })),
  },
  {
    name: 'HEAD of the status is 404',
    shownBy: 'status.4',
    alter: (seen, { method }) => (method === 'HEAD' ? { ...seen, status: 404 } : seen),
  },
  {
    name: 'HEAD of a route with a key is 200',
    shownBy: 'status.4',
    alter: (seen, { method }) => (method === 'HEAD' ? { ...seen, status: 200 } : seen),
  },
  {
    name: 'the status has no CORS',
    shownBy: 'status.3',
    alter: header(anything, 'access-control-allow-origin', () => null),
  },
  {
    name: 'CORS of the status names one origin',
    shownBy: 'status.3',
    alter: header(anything, 'access-control-allow-origin', () => 'https://example.com'),
  },
];
