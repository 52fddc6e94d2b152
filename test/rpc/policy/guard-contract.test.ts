/** A key that is bound to contracts reaches no other one, however a call is written. */
import fc from 'fast-check';
import { guardContract } from '../../../lambdas/rpc/policy/screen-calls.ts';

const OURS = '0xabcdef0000000000000000000000000000000001';
const ALSO = '0xabcdef0000000000000000000000000000000002';
const THEIRS = '0xabcdef0000000000000000000000000000000003';
const ALLOWED = `0x${OURS.slice(2).toUpperCase()}`;

/** The details of the refusal of a call with these params, given as JSON. */
function refused(method: string, params: string | undefined): unknown {
  const error = guardContract({ method, params: params === undefined ? undefined : Buffer.from(params) }, [
    OURS,
    ALSO,
  ]);
  return error === undefined ? undefined : (error.details?.rule ?? error.reason);
}

test.each([
  ['eth_call', `[{"to":"${OURS}","data":"0x"},"latest"]`],
  ['eth_call', `[{"to":"${ALLOWED}"}]`],
  ['eth_call', `[ {"t\\u006f":"${OURS}"} , "latest" , null ]`],
  ['eth_estimateGas', `[{"from":"${THEIRS}","to":"${ALSO}"}]`],
  ['eth_getLogs', `[{"address":"${OURS}"}]`],
  ['eth_getLogs', `[{"address":["${OURS}","${ALSO}"],"fromBlock":"0x1"}]`],
  ['eth_getBalance', `["${OURS}","latest"]`],
  ['eth_getCode', `["${OURS}","latest"]`],
  ['eth_getStorageAt', `["${OURS}","0x0","latest"]`],
  ['eth_getProof', `["${OURS}",[],"latest"]`],
  ['eth_createAccessList', `[{"to":"${OURS}"},"latest"]`],
  ['eth_getAccount', `["${OURS}","latest"]`],
  // They ask of the chain, or of an account's own transactions.
  ['eth_getTransactionCount', `["${THEIRS}","latest"]`],
  ['eth_blockNumber', '[]'],
  ['eth_sendRawTransaction', '["0x00"]'],
  ['eth_getTransactionReceipt', `["0x${'ab'.repeat(32)}"]`],
])('%s of %s is let pass', (method, params) => {
  expect(refused(method, params)).toBeUndefined();
});

test.each([
  ['eth_call', `[{"to":"${THEIRS}"},"latest"]`, 'address'],
  ['eth_call', '[{"data":"0x60"},"latest"]', 'address_required'],
  ['eth_call', '[{"to":null,"data":"0x60"},"latest"]', 'address_required'],
  ['eth_call', '["latest"]', 'address_required'],
  ['eth_call', '[]', 'address_required'],
  ['eth_call', undefined, 'address_required'],
  // Parsers that take the last of two members, or ignore case, would call another contract.
  ['eth_call', `[{"to":"${OURS}","to":"${THEIRS}"},"latest"]`, 'ambiguous_member'],
  ['eth_call', `[{"to":"${OURS}","To":"${THEIRS}"},"latest"]`, 'ambiguous_member'],
  ['eth_call', `[{"TO":"${OURS}"},"latest"]`, 'ambiguous_member'],
  ['eth_call', `[{"to":" ${OURS}"},"latest"]`, 'address'],
  ['eth_call', `[{"to":["${OURS}","${THEIRS}"]},"latest"]`, 'address'],
  ['eth_call', `[{"to":["${OURS}"]},"latest"]`, 'address'],
  // Code that a client makes up can stand in the place of an allowed contract's.
  ['eth_call', `[{"to":"${OURS}"},"latest",{"${OURS}":{"code":"0x60"}}]`, 'state_override'],
  ['eth_call', `[{"to":"${OURS}"},"latest",null,{"number":"0x1"}]`, 'state_override'],
  ['eth_estimateGas', `[{"to":"${OURS}"},"latest",{}]`, 'state_override'],
  ['eth_getLogs', '[{"fromBlock":"0x1"}]', 'address_required'],
  ['eth_getLogs', '[{"address":[]}]', 'address_required'],
  ['eth_getLogs', '[{"address":null}]', 'address_required'],
  ['eth_getLogs', `[{"address":["${OURS}","${THEIRS}"]}]`, 'address'],
  ['eth_getLogs', `[{"address":["${OURS}",null]}]`, 'address'],
  ['eth_getLogs', `[{"address":"${OURS}","addre\u017fs":"${THEIRS}"}]`, 'ambiguous_member'],
  ['eth_getBalance', `["${THEIRS}","latest"]`, 'address'],
  ['eth_getBalance', '[]', 'address'],
  ['eth_getBalance', `[["${OURS}"],"latest"]`, 'address'],
  ['eth_getProof', `["${THEIRS}",[],"latest"]`, 'address'],
  ['eth_createAccessList', `[{"to":"${THEIRS}"},"latest"]`, 'address'],
  ['eth_getAccount', `["${THEIRS}","latest"]`, 'address'],
  // What they ask of cannot be judged, or nobody knows them.
  ['debug_traceCall', `[{"to":"${OURS}"},"latest",{}]`, 'method'],
  ['eth_simulateV1', `[{"blockStateCalls":[{"calls":[{"to":"${OURS}"}]}]}]`, 'method'],
  ['eth_callMany', `[[{"to":"${OURS}"}]]`, 'method'],
  ['eth_getBlockReceipts', '["latest"]', 'method'],
  ['debug_traceTransaction', `["0x${'ab'.repeat(32)}"]`, 'method'],
  ['eth_aMethodOfTomorrow', `["${OURS}"]`, 'method'],
  ['net_aMethodOfTomorrow', '[]', 'method'],
])('%s of %s is refused: %s', (method, params, rule) => {
  expect(refused(method, params)).toBe(rule);
});

test('a key without contracts is not bound', () => {
  expect(
    guardContract({ method: 'eth_call', params: Buffer.from('[{"to":"0x"}]') }, undefined),
  ).toBeUndefined();
});

test('no params of any form let a call of another contract pass', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 4 }), (params) => {
      const call = { method: 'eth_call', params: Buffer.from(JSON.stringify(params)) };
      const [first] = params as readonly { readonly to?: unknown }[];
      const isOurs = typeof first === 'object' && first !== null && first.to === OURS;
      if (!isOurs) expect(guardContract(call, [OURS])).toBeDefined();
    }),
  );
});
