import { type Call, ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { hashOfJson, hexNumber, jsonOf, quantityOfJson } from '../../jsonrpc/json-values.ts';
import { isEmptyTrace, normaliseNotFound } from '../../jsonrpc/match-responses.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { PendingCall } from '../routing/pending-call.ts';
import type { FurtherCall, Policy, Rounds, Terms } from '../routing/terms.ts';

const TRACE_METHOD = 'debug_traceTransaction';
const RECEIPTS_METHOD = 'eth_getBlockReceipts';
const EMPTY_LIST = Buffer.from('[]');
const GAS_USED = /"gasUsed"\s*:\s*"0x0*[1-9a-f]/i;
const NAMED_BLOCK = /"block(?:Hash|Number)"\s*:\s*("[^"]*")/;

/** Traces of a transaction that may not exist, and receipts of a block that may have some: an empty answer need not be one. */
export const traces: Policy = {
  appliesTo: (method) => method === TRACE_METHOD || method === RECEIPTS_METHOD,
  again: findEmpty,
};

/** Whether a call got an empty trace, whose transaction may not exist, or no receipts, of a block that may have some. */
export function mayBeEmpty({ call, response }: PendingCall): boolean {
  if (response === undefined) return false;
  return isEmptyTrace(call, response) || isWithoutReceipts(call, response);
}

function isWithoutReceipts({ method }: Call, response: UpstreamResponse | undefined): boolean {
  return method === RECEIPTS_METHOD && response?.kind === 'result' && EMPTY_LIST.equals(response.result);
}

/**
 * Some nodes answer with an empty trace for any hash, others for transactions without a step: the upstream that gave the trace
 * is asked which it is. One that gave no receipts is asked whether the block used gas; if it did, others are asked for them.
 * Without a response what is empty is believed.
 */
async function* findEmpty(calls: readonly PendingCall[], terms: Terms): Rounds {
  const questions = calls.flatMap((one) => questionOf(one, terms) ?? []);
  yield questions;
  const lacking: PendingCall[] = [];
  for (const { about: one, call: asked } of questions) {
    if (isOwed(one) && asked.attempts > 0) one.owed += 1;
    if (one.call.method === TRACE_METHOD) {
      if (saysNull(asked) && one.response) one.settle(normaliseNotFound(one.call, one.response, true));
    } else if (hasUsedGas(asked)) {
      one.reopen();
      lacking.push(one);
    }
  }
  yield lacking.map((call) => ({ call }));
  // Of a block that has some, that there are none is no answer.
  for (const one of lacking) if (mayBeEmpty(one)) one.reopen();
}

/** Of a block without receipts it is asked out of the share of the key: many blocks have none. */
function isOwed({ sender, call }: PendingCall): boolean {
  return sender.keyId !== undefined && call.method === RECEIPTS_METHOD;
}

/** The question whether what an empty answer is about is there, or is empty. */
function questionOf(
  empty: PendingCall,
  { node: { refusedWords } }: Terms,
): (FurtherCall & { readonly about: PendingCall }) | undefined {
  const { call, answeredBy, sender } = empty;
  if (answeredBy === undefined || !mayBeEmpty(empty)) return undefined;
  if (isOwed(empty) && !refusedWords.shareOf(sender.keyId ?? '').hasOne()) return undefined;
  const named = elementAt(call.params, 0);
  const asked = call.method === RECEIPTS_METHOD ? blockQuestion(named) : transactionQuestion(named);
  if (asked === undefined) return undefined;
  return { call: new PendingCall(asked, sender), about: empty, of: answeredBy };
}

function transactionQuestion(named: string | undefined): Call | undefined {
  const hash = hashOfJson(named);
  return hash === undefined ? undefined : ownCall('eth_getTransactionByHash', [hash]);
}

/** A tag can be of another block by now. */
function blockQuestion(named: string | undefined): Call | undefined {
  const block = NAMED_BLOCK.exec(named ?? '')?.[1] ?? named;
  const hash = hashOfJson(block);
  if (hash !== undefined) return ownCall('eth_getBlockByHash', [hash, false]);
  const number = quantityOfJson(block);
  return number === undefined ? undefined : ownCall('eth_getBlockByNumber', [hexNumber(number), false]);
}

function hasUsedGas({ response }: PendingCall): boolean {
  return response?.kind === 'result' && GAS_USED.test(jsonOf(response.result, 'latin1'));
}

function saysNull({ response }: PendingCall): boolean {
  return response?.kind === 'result' && isNull(response.result, 0);
}
