/** A tracer that is code of a client is known as such. */
import { hasCustomTracer } from '../../../lambdas/shared/jsonrpc/required-block.ts';

const CODE = '{step: function() {}, result: function() { throw "x" }}';

function brings(method: string, params: string | undefined): boolean {
  return hasCustomTracer({ method, params: params === undefined ? undefined : Buffer.from(params) });
}

test.each<[string, string]>([
  ['debug_traceTransaction', `["0x1",${JSON.stringify({ tracer: CODE })}]`],
  ['debug_traceCall', `[{"to":"0x1"},"latest",${JSON.stringify({ timeout: '1s', tracer: CODE })}]`],
  ['debug_traceBlockByNumber', `["0x1", ${JSON.stringify({ tracer: CODE })} ]`],
  ['debug_traceTransaction', '["0x1",{"tr\\u0061cer":"{}"}]'],
  ['debug_traceTransaction', '["0x1",{"Tracer":"{}"}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"callTracer","tracer":"{}"}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"callTracer ","x":1}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"muxTracer","tracerConfig":{"{result: 1}":{}}}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"mux\\u0054racer"}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":""}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":7}]'],
])('code of the client: %s %s', (method, params) => {
  expect(brings(method, params)).toBe(true);
});

test.each<[string, string | undefined]>([
  ['debug_traceTransaction', undefined],
  ['debug_traceTransaction', '[]'],
  ['debug_traceTransaction', '["0x1"]'],
  ['debug_traceTransaction', '["0x1",{}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"callTracer","tracerConfig":{"onlyTopCall":true}}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"4byteTracer"}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":null}]'],
  ['debug_traceTransaction', '["0x1",{"tracer":"call\\u0054racer"}]'],
  ['debug_traceCall', '[{"tracers":"{}"},"latest"]'],
  ['eth_call', '[{"tracer":"{}"},"latest"]'],
])('a tracer of the node, or none: %s %s', (method, params) => {
  expect(brings(method, params)).toBe(false);
});
