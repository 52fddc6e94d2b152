import { ServiceError } from '../processes/json-endpoint.ts';

/** How a value comes back: by which member of a field, made how from PostgreSQL's text. */
export interface ResultType {
  /** Name in PostgreSQL. */
  readonly name: string;
  /** Number of the type in JDBC, which the metadata of a column tells. */
  readonly jdbcType: number;
  readonly kind: 'long' | 'decimal' | 'double' | 'boolean' | 'blob' | 'string' | 'array';
  /** The text of a string, from that of PostgreSQL. @default as it is */
  readonly format?: (text: string) => string;
  /** Type of the elements of an array. */
  readonly element?: ResultType;
}

const JDBC_ARRAY = 2003;
const JDBC_OTHER = 1111;
const JDBC_VARCHAR = 12;

const BOOLEAN: ResultType = { name: 'bool', jdbcType: -7, kind: 'boolean' };
const INT2: ResultType = { name: 'int2', jdbcType: 5, kind: 'long' };
const INT4: ResultType = { name: 'int4', jdbcType: 4, kind: 'long' };
const INT8: ResultType = { name: 'int8', jdbcType: -5, kind: 'long' };
const FLOAT4: ResultType = { name: 'float4', jdbcType: 7, kind: 'double' };
const FLOAT8: ResultType = { name: 'float8', jdbcType: 8, kind: 'double' };
const NUMERIC: ResultType = { name: 'numeric', jdbcType: 2, kind: 'decimal' };
const TEXT: ResultType = { name: 'text', jdbcType: JDBC_VARCHAR, kind: 'string' };
const BPCHAR: ResultType = { name: 'bpchar', jdbcType: 1, kind: 'string' };
const VARCHAR: ResultType = { name: 'varchar', jdbcType: JDBC_VARCHAR, kind: 'string' };
const UUID: ResultType = { name: 'uuid', jdbcType: JDBC_OTHER, kind: 'string' };
const DATE: ResultType = { name: 'date', jdbcType: 91, kind: 'string' };
const TIME: ResultType = { name: 'time', jdbcType: 92, kind: 'string', format: formatTime };
const TIMESTAMP: ResultType = { name: 'timestamp', jdbcType: 93, kind: 'string', format: formatTime };
const TIMESTAMPTZ: ResultType = { name: 'timestamptz', jdbcType: 93, kind: 'string', format: formatTime };

const other = (name: string): ResultType => ({ name, jdbcType: JDBC_OTHER, kind: 'string' });
const arrayOf = (element: ResultType): ResultType => ({
  name: `_${element.name}`,
  jdbcType: JDBC_ARRAY,
  kind: 'array',
  element,
});

/** The types that the RDS Data API returns, by their OID; any other has to be cast to text. */
const RESULT_TYPES: ReadonlyMap<number, ResultType> = new Map([
  [16, BOOLEAN],
  [17, { name: 'bytea', jdbcType: -2, kind: 'blob' }],
  [20, INT8],
  [21, INT2],
  [23, INT4],
  [25, TEXT],
  [114, other('json')],
  [650, other('cidr')],
  [700, FLOAT4],
  [701, FLOAT8],
  [869, other('inet')],
  [1000, arrayOf(BOOLEAN)],
  [1005, arrayOf(INT2)],
  [1007, arrayOf(INT4)],
  [1009, arrayOf(TEXT)],
  [1014, arrayOf(BPCHAR)],
  [1015, arrayOf(VARCHAR)],
  [1016, arrayOf(INT8)],
  [1021, arrayOf(FLOAT4)],
  [1022, arrayOf(FLOAT8)],
  [1042, BPCHAR],
  [1043, VARCHAR],
  [1082, DATE],
  [1083, TIME],
  [1114, TIMESTAMP],
  [1115, arrayOf(TIMESTAMP)],
  [1182, arrayOf(DATE)],
  [1183, arrayOf(TIME)],
  [1184, TIMESTAMPTZ],
  [1185, arrayOf(TIMESTAMPTZ)],
  [1231, arrayOf(NUMERIC)],
  [1700, NUMERIC],
  [2950, UUID],
  [2951, arrayOf(UUID)],
  [3802, other('jsonb')],
]);

/** Entry of the catalogue for a type that is not built in. */
interface CatalogueType {
  readonly name: string;
  readonly isEnum: boolean;
}

/**
 * The type of a result's column.
 * @param lookUp finds a type in the catalogue
 * @throws ServiceError for a type that the RDS Data API does not return
 */
export async function resultType(
  oid: number,
  lookUp: (oid: number) => Promise<CatalogueType>,
): Promise<ResultType> {
  const known = RESULT_TYPES.get(oid);
  if (known !== undefined) return known;
  const { name, isEnum } = await lookUp(oid);
  if (isEnum) return { name, jdbcType: JDBC_VARCHAR, kind: 'string' };
  throw new ServiceError(
    'UnsupportedResultException',
    `The result contains the unsupported data type ${name.toUpperCase()}.`,
  );
}

/**
 * Times as the RDS Data API writes them: in UTC without an offset (the session's time zone is UTC), and no fraction, or
 * three digits of it, or six.
 * @throws ServiceError for an infinite time
 */
function formatTime(text: string): string {
  if (text.endsWith('infinity')) throw new ServiceError('InternalFailure', 'UnknownError', 500);
  const [whole = '', fraction = ''] = text.replace(/\+00$/, '').split('.');
  if (fraction === '') return whole;
  const microseconds = fraction.padEnd(6, '0');
  return `${whole}.${microseconds.endsWith('000') ? microseconds.slice(0, 3) : microseconds}`;
}
