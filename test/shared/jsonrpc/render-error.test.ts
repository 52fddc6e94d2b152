import fc from 'fast-check';
import {
  ERROR_CATALOGUE,
  type GatewayError,
  type Reason,
} from '../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { httpStatusOf, renderError } from '../../../lambdas/shared/jsonrpc/render-error.ts';
import { anyText } from '../../support/any-text.ts';

function rendered(error: GatewayError): { code: number; message: string; data: Record<string, unknown> } {
  return JSON.parse(renderError(error).toString());
}

test('the error object has the code, the message and the reason', () => {
  expect(renderError({ reason: 'parse_error' }).toString()).toBe(
    '{"code":-32700,"message":"parse error (malformed JSON body)","data":{"reason":"parse_error","retryable":false}}',
  );
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
