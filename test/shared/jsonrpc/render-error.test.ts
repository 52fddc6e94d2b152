/** Errors have the codes, statuses and words of the specification. */
import fc from 'fast-check';
import {
  type CataloguedError,
  ERROR_CATALOGUE,
  type Reason,
} from '../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { httpStatusOf, renderError } from '../../../lambdas/shared/jsonrpc/render-error.ts';
import { anyText } from '../../support/any-text.ts';

function rendered(error: CataloguedError): { code: number; message: string; data: Record<string, unknown> } {
  return JSON.parse(renderError(error).toString());
}

/** The errors as the specification has them, in its numbers and words. */
const SPECIFIED = [
  ['parse_error', -32700, 200, 'parse error (malformed JSON body)'],
  ['invalid_request', -32600, 200, 'invalid request'],
  ['ambiguous_member', -32600, 200, 'invalid request: ambiguous member name'],
  ['batch_too_large', -32600, 200, 'batch too large: max <max> calls'],
  ['body_too_large', -32600, 413, 'request body too large: max <max> bytes'],
  ['unsupported_encoding', -32600, 415, 'unsupported content encoding: send the body as it is or as gzip'],
  ['method_not_allowed', -32601, 200, 'method not available: <method>'],
  ['contract_not_allowed', -32602, 200, 'contract not allowed for this key'],
  ['logs_range_too_large', -32602, 200, 'eth_getLogs block range too large: max <max> blocks'],
  ['node_syncing', -32010, 200, 'node is syncing; latest-state calls are temporarily unavailable'],
  [
    'state_not_available',
    -32011,
    200,
    'historical state is not available beyond the most recent <max> blocks',
  ],
  ['transaction_not_found', -32000, 200, 'transaction not found'],
  ['block_not_found', -32000, 200, 'block not found'],
  ['min_block_not_reached', -32000, 200, 'block not found'],
  ['upstream_unavailable', -32000, 200, 'upstream unavailable'],
  ['not_verified', -32000, 200, 'upstream unavailable'],
  ['upstream_response_too_large', -32000, 200, 'upstream response too large'],
  ['gateway_overloaded', -32005, 200, 'gateway overloaded, retry later'],
  ['rate_limited', -32005, 429, 'rate limit exceeded'],
  ['cost_exceeds_burst', -32005, 429, 'request cost <cost> CU exceeds burst capacity <capacity> CU'],
  ['key_daily_limit', -32005, 429, 'rate limit exceeded'],
  ['no_upstream_response', -32603, 200, 'no response from upstream'],
  ['malformed_upstream_response', -32603, 200, 'malformed upstream response'],
  ['internal_error', -32603, 200, 'internal gateway error'],
  ['insufficient_balance', -32020, 402, 'insufficient balance'],
  ['billing_unavailable', -32021, 503, 'billing data temporarily unavailable'],
] as const;

test.each(SPECIFIED)('%s is %i with HTTP %i: %s', (reason, code, httpStatus, message) => {
  expect(ERROR_CATALOGUE[reason]).toMatchObject({ code, httpStatus, message });
});

test('no error is missing there', () => {
  expect(SPECIFIED.map(([reason]) => reason as string).sort()).toEqual(Object.keys(ERROR_CATALOGUE).sort());
});

test('every reason of the catalogue renders with its own code, status and retryable', () => {
  for (const reason of Object.keys(ERROR_CATALOGUE) as Reason[]) {
    const { code, httpStatus, retryable } = ERROR_CATALOGUE[reason];
    const error = rendered({ reason });
    expect([error.code, error.data]).toEqual([code, { reason, retryable }]);
    expect(httpStatusOf({ reason })).toBe(httpStatus);
  }
});

test('parameters fill the message, details the data', () => {
  const error = rendered({
    reason: 'cost_exceeds_burst',
    parameters: { cost: 300, capacity: 200 },
    details: { cost_cu: 300 },
  });
  expect(error.message).toBe('request cost 300 CU exceeds burst capacity 200 CU');
  expect(error.data).toEqual({ reason: 'cost_exceeds_burst', retryable: false, cost_cu: 300 });
});

test.each(['<method>', '$&', '$1<max>', '__proto__', 'a"b\\c\n', '\ud800'])(
  'a method named %j stands in the message as it is',
  (method) => {
    const { message } = rendered({ reason: 'method_not_allowed', parameters: { method } });
    expect(message).toBe(`method not available: ${method}`);
  },
);

test('a placeholder takes no value from a prototype', () => {
  const parameters = Object.create({ method: 'inherited' }) as Record<string, string>;
  expect(rendered({ reason: 'method_not_allowed', parameters }).message).toBe(
    'method not available: <method>',
  );
});

test('any method name gives valid JSON in UTF-8', () => {
  fc.assert(
    fc.property(anyText(), (method) => {
      const bytes = renderError({ reason: 'method_not_allowed', parameters: { method } });
      const { message } = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      expect(message).toBe(`method not available: ${method}`);
    }),
  );
});
