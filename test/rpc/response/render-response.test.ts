/** A response has the id of its request, and large results are not copied for it. */
import { renderRefusal, renderResponses } from '../../../lambdas/rpc/response/render-response.ts';
import { bytesOfPieces } from '../../../lambdas/shared/http/body-pieces.ts';
import { NULL_ID, type UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { renderError } from '../../../lambdas/shared/jsonrpc/render-error.ts';
import { answeredCall } from '../../support/answered-call.ts';

function text(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}

function result(json: string): UpstreamResponse {
  return { kind: 'result', result: Buffer.from(json) };
}

test('a large result is not copied', () => {
  const large = Buffer.alloc(1024 * 1024, 'a');
  const body = renderResponses(false, [answeredCall({ kind: 'result', result: large }, { id: NULL_ID })]);
  expect(body).toContain(large);
  expect(bytesOfPieces(body)).toBe(text(body).length);
});

test('a small body is one piece', () => {
  const responses = Array.from({ length: 100 }, (_, id) =>
    answeredCall(result('"0x1"'), { id: Buffer.from(`${id}`) }),
  );
  expect(renderResponses(true, responses)).toHaveLength(1);
  expect(bytesOfPieces([])).toBe(0);
});

describe('a request that is refused as a whole', () => {
  const error = { reason: 'insufficient_balance' } as const;
  const call = { id: Buffer.from('"x"'), method: 'eth_chainId', params: undefined };

  test('has the id of a single call', () => {
    expect(text(renderRefusal(error, { batch: false, calls: [{ call }] }))).toBe(
      `{"jsonrpc":"2.0","id":"x","error":${renderError(error)}}`,
    );
    const refused = { id: Buffer.from('8'), error: { reason: 'invalid_request' } } as const;
    expect(text(renderRefusal(error, { batch: false, calls: [{ refused }] }))).toContain('"id":8,');
  });

  test('has the id null for a batch, and for a body that could not be read', () => {
    expect(text(renderRefusal(error, { batch: true, calls: [{ call }] }))).toContain('"id":null,');
    expect(text(renderRefusal(error, { refused: { reason: 'parse_error' } }))).toContain('"id":null,');
  });
});
