import { hexDigits } from '../../lambdas/shared/chain-database/hex.ts';
import { ServiceError } from '../processes/json-endpoint.ts';
import type { ResultType } from './result-types.ts';

/** An element of an array's text, with quotes or without. */
const ARRAY_ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/g;
/** The member of an array that has its elements. @default `stringValues` */
const ARRAY_MEMBERS: Readonly<Partial<Record<ResultType['kind'], string>>> = {
  long: 'longValues',
  double: 'doubleValues',
  boolean: 'booleanValues',
};

/**
 * A value as a field, in JSON: PostgreSQL's own digits are kept, also of integers that a JavaScript number cannot hold.
 * @param text PostgreSQL's text of the value
 * @throws ServiceError for a value that the RDS Data API does not return
 */
export function fieldJson(type: ResultType, text: string | null): string {
  if (text === null) return '{"isNull":true}';
  if (type.isArray) return `{"arrayValue":${arrayJson(type, text)}}`;
  const member = type.kind === 'decimal' || type.kind === 'time' ? 'string' : type.kind;
  return `{"${member}Value":${valueJson(type, text)}}`;
}

function valueJson({ kind }: ResultType, text: string): string {
  switch (kind) {
    case 'long':
      return text;
    case 'double':
      return finite(text);
    case 'boolean':
      return String(text === 't');
    case 'blob':
      return `"${Buffer.from(hexDigits(text), 'hex').toString('base64')}"`;
    case 'time':
      return `"${formatTime(text)}"`;
    case 'decimal':
    case 'string':
      return JSON.stringify(text);
  }
}

/** JSON has no infinity and no NaN. */
function finite(text: string): string {
  if (!Number.isFinite(Number(text))) throw unknownError();
  return text;
}

/**
 * Times as the RDS Data API writes them: in UTC without an offset (the session's time zone is UTC), and no fraction, or
 * three digits of it, or six.
 * @throws ServiceError for an infinite time
 */
function formatTime(text: string): string {
  if (text.endsWith('infinity')) throw unknownError();
  const [whole = '', fraction = ''] = text.replace(/\+00$/, '').split('.');
  if (fraction === '') return whole;
  const microseconds = fraction.padEnd(6, '0');
  return `${whole}.${microseconds.endsWith('000') ? microseconds.slice(0, 3) : microseconds}`;
}

function arrayJson(type: ResultType, text: string): string {
  const values = elementsOf(text).map((value) => (value === null ? 'null' : valueJson(type, value)));
  return `{"${ARRAY_MEMBERS[type.kind] ?? 'stringValues'}":[${values}]}`;
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

function unknownError(): ServiceError {
  return new ServiceError('InternalFailure', 'UnknownError', 500);
}
