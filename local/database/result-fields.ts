import { hexDigits } from '../../lambdas/shared/chain-database/hex.ts';
import { ServiceError } from '../processes/json-endpoint.ts';
import type { ResultType } from './result-types.ts';

/** How numbers come back. */
export interface ResultSetOptions {
  readonly longReturnType: 'LONG' | 'STRING';
  readonly decimalReturnType: 'STRING' | 'DOUBLE_OR_LONG';
}

/** Start of a `bytea` as PostgreSQL writes it. */
const ARRAY_ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/g;

/**
 * A value as a field, in JSON: PostgreSQL's own digits are kept, also of integers that a JavaScript number cannot hold.
 * @param text PostgreSQL's text of the value
 * @throws ServiceError for a value that the RDS Data API does not return
 */
export function fieldJson(type: ResultType, text: string | null, options: ResultSetOptions): string {
  if (text === null) return '{"isNull":true}';
  if (type.kind === 'array') return `{"arrayValue":${arrayJson(type, text)}}`;
  if (type.kind === 'decimal') return decimalJson(text, options);
  if (type.kind === 'long' && options.longReturnType === 'STRING') return `{"stringValue":"${text}"}`;
  return `{"${type.kind}Value":${plainJson(type, text)}}`;
}

/** A value as a member of a row that `formatRecordsAs: JSON` asks for. */
export function plainJson(type: ResultType, text: string | null): string {
  if (text === null) return 'null';
  switch (type.kind) {
    case 'long':
      return text;
    case 'decimal':
    case 'double':
      return finite(text);
    case 'boolean':
      return String(text === 't');
    case 'blob':
      return `"${base64(text)}"`;
    case 'string':
      return JSON.stringify(type.format?.(text) ?? text);
    case 'array':
      return `[${elementsOf(text).map((element) => plainJson(elementType(type), element))}]`;
  }
}

function decimalJson(text: string, { decimalReturnType }: ResultSetOptions): string {
  if (decimalReturnType === 'STRING') return `{"stringValue":"${text}"}`;
  return text.includes('.') ? `{"doubleValue":${finite(text)}}` : `{"longValue":${finite(text)}}`;
}

/** JSON has no infinity and no NaN. */
function finite(text: string): string {
  if (!Number.isFinite(Number(text))) throw new ServiceError('InternalFailure', 'UnknownError', 500);
  return text;
}

function base64(text: string): string {
  return Buffer.from(hexDigits(text), 'hex').toString('base64');
}

function arrayJson(type: ResultType, text: string): string {
  const element = elementType(type);
  const member = { long: 'longValues', double: 'doubleValues', boolean: 'booleanValues' }[
    String(element.kind)
  ];
  const values = elementsOf(text).map((value) =>
    element.kind === 'decimal' && value !== null ? `"${value}"` : plainJson(element, value),
  );
  return `{"${member ?? 'stringValues'}":[${values}]}`;
}

function elementType({ element }: ResultType): ResultType {
  if (element === undefined) throw new Error('an array type has no element type');
  return element;
}

/** Elements of an array's text. */
function elementsOf(text: string): (string | null)[] {
  const list = text.slice(text.indexOf('{') + 1, -1);
  if (/^\s*\{/.test(list))
    throw new ServiceError('UnsupportedResultException', 'The result contains a multidimensional array.');
  return [...list.matchAll(ARRAY_ELEMENT)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain === 'NULL' ? null : (plain ?? '')) : quoted.replaceAll(/\\(.)/gs, '$1'),
  );
}
