import type { Call } from '../../lambdas/shared/jsonrpc/calls.ts';

const TRACER = '{result: function() { throw "words of the client" }, fault: function() {}}';

/** A trace by code of the client. */
export const OWN_TRACER: Call = {
  id: Buffer.from('1'),
  method: 'debug_traceTransaction',
  params: Buffer.from(JSON.stringify([`0x${'ab'.repeat(32)}`, { tracer: TRACER }])),
};

const AT = "at result (<eval>:1:40(3))    in server-side tracer function 'result'";

/** Messages that nodes make of what such code throws. */
export const TRACER_ERRORS: readonly string[] = [
  `historical state {"calls":[1,2,3]} is not available ${AT}`,
  `historical state 0xabc is not available    in server-side tracer function 'result'`,
  `transaction not found ${AT}`,
  `block 0x11 not found ${AT}`,
  `header not found ${AT}`,
  `missing trie node 0a ${AT}`,
  `rate limit ${AT}`,
  `too many requests ${AT}`,
  `internal error ${AT}`,
  `request timed out ${AT}`,
];
