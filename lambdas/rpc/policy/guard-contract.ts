import type { KeyBounds } from 'gateway-access';
import type { Call } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { decodeString, foldName } from '../../shared/jsonrpc/json-strings.ts';
import {
  eachMember,
  isNull,
  isObject,
  type JsonText,
  jsonText,
  MAX_JSON_DEPTH,
  type Members,
  scanElements,
  scanMembers,
  skipSpace,
  skipValue,
} from '../../shared/jsonrpc/scan-json.ts';
import { methodFacts } from '../../shared/methods/method-facts.ts';

/** Call and block: a call has nothing else that does not change what it runs on. */
const PARAMS_OF_A_CALL = 2;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Where a value is in a text. */
type Span = readonly [start: number, end: number];

/** What a call asks of: the values that have to be addresses of the key's contracts. `undefined`: parsers differ about it. */
type Asked = readonly unknown[] | undefined;

/**
 * Why a key that is bound to contracts may not send a call; undefined if it may. A method of which nobody can say what it
 * asks is refused, and so is a call that names no address where its method asks of one. State that a client makes up would
 * put its own code in the place of a contract's, so it is refused as well.
 */
export function guardContract(
  { method, params }: Pick<Call, 'method' | 'params'>,
  contracts: KeyBounds['contracts'],
): CataloguedError | undefined {
  const { asksOf } = methodFacts(method);
  if (contracts === undefined || asksOf === 'nothing') return undefined;
  if (asksOf === undefined) return notAllowed('method');
  const text = jsonText(params ?? Buffer.from('[]'));
  const elements = elementsOf(text);
  if (asksOf === 'to' && elements.slice(PARAMS_OF_A_CALL).some(([start]) => !isNull(text.bytes, start)))
    return notAllowed('state_override');
  const asked = askedOf(text, elements[0], asksOf);
  if (asked === undefined) return { reason: 'ambiguous_member' };
  if (asked.length === 0) return notAllowed('address_required');
  return asked.every((address) => isOneOf(contracts, address)) ? undefined : notAllowed('address');
}

function askedOf(text: JsonText, first: Span | undefined, asksOf: 'to' | 'filter' | 'address'): Asked {
  if (asksOf === 'address') return [valueAt(text, first)];
  if (asksOf === 'to') return memberValues(text, first, 'to');
  // A filter takes one address, or a list of them.
  return memberValues(text, first, 'address')?.flat();
}

function notAllowed(rule: 'method' | 'address' | 'address_required' | 'state_override'): CataloguedError {
  return { reason: 'contract_not_allowed', details: { rule } };
}

function isOneOf(contracts: readonly string[], address: unknown): boolean {
  const folded = typeof address === 'string' ? address.toLowerCase() : '';
  return ADDRESS.test(folded) && contracts.includes(folded);
}

/** The value of a member; none if it is not there, or null. */
function memberValues(text: JsonText, span: Span | undefined, name: string): Asked {
  const { bytes } = text;
  if (span === undefined || !isObject(bytes, span[0])) return [];
  const scanned: Members = { count: 0, offsets: [] };
  scanMembers(text, span[0], MAX_JSON_DEPTH, scanned);
  const named = [...eachMember(scanned)]
    .map(([nameStart, nameEnd, ...value]) => ({ own: decodeString(bytes, nameStart, nameEnd), value }))
    .filter(({ own }) => foldName(own) === name);
  if (named.length > 1 || named.some(({ own }) => own !== name)) return undefined;
  return named.flatMap(({ value }) => {
    const read = valueAt(text, value);
    return read === null ? [] : [read];
  });
}

function valueAt({ bytes }: JsonText, span: Span | undefined): unknown {
  return span === undefined ? undefined : (JSON.parse(bytes.toString('utf8', ...span)) as unknown);
}

function elementsOf(text: JsonText): readonly Span[] {
  const found: Span[] = [];
  scanElements(text, skipSpace(text.bytes, 0), (at) => {
    const end = skipValue(text, at, MAX_JSON_DEPTH);
    found.push([skipSpace(text.bytes, at), end]);
    return end;
  });
  return found;
}
