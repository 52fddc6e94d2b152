/** A chain serves a part of what the policy allows, and nothing else. */
import fc from 'fast-check';
import {
  effectiveMethods,
  isMethodAvailable,
  isMethodServed,
} from '../../../lambdas/shared/methods/method-facts.ts';
import { ALLOWED_PATTERNS, BLOCKED_METHODS } from '../../../lambdas/shared/methods/method-table.ts';

test.each<[string, object | undefined, boolean]>([
  ['eth_call', undefined, true],
  ['eth_call', {}, true],
  ['eth_call', { allow: ['eth_*'] }, true],
  ['eth_call', { allow: ['net_*', 'eth_call'] }, true],
  ['eth_call', { allow: ['net_*'] }, false],
  ['eth_callMany', { allow: ['eth_call'] }, false],
  ['eth_call', { deny: ['eth_call'] }, false],
  ['eth_callMany', { deny: ['eth_call'] }, true],
  ['debug_traceCall', { deny: ['debug_trace*'] }, false],
  ['eth_call', { allow: ['eth_call'], deny: ['eth_*'] }, false],
  ['eth_subscribe', { allow: ['eth_*'] }, false],
  ['admin_peers', { allow: ['admin_*'] }, false],
])('%s of a chain with %j: %s', (method, methods, served) => {
  expect(isMethodServed(method, methods)).toBe(served);
});

test('a chain serves nothing that is not available', () => {
  const name = fc.constantFrom(
    'eth_',
    'eth_call',
    'eth_subscribe',
    'net_version',
    'admin_peers',
    'debug_traceCall',
  );
  const pattern = fc.tuple(name, fc.constantFrom('', '*')).map((parts) => parts.join(''));
  const patterns = fc.option(fc.array(pattern, { maxLength: 3 }), { nil: undefined });
  fc.assert(
    fc.property(name, patterns, patterns, (method, allow, deny) => {
      expect(isMethodServed(method, { allow, deny }) && !isMethodAvailable(method)).toBe(false);
    }),
  );
});

test('the effective policy of a chain is the narrower allowance and all denials', () => {
  expect(effectiveMethods()).toEqual({ allow: ALLOWED_PATTERNS, deny: BLOCKED_METHODS });
  expect(effectiveMethods({ allow: ['eth_call'], deny: ['eth_subscribe', 'eth_sign*'] })).toEqual({
    allow: ['eth_call'],
    deny: [...BLOCKED_METHODS, 'eth_sign*'],
  });
});
