import { ServiceError } from '../processes/json-endpoint.ts';

/** How a value comes back: by which member of a field, made how from PostgreSQL's text. */
export interface ResultType {
  /** Of the value, or of each element of an array. */
  readonly kind: 'long' | 'decimal' | 'double' | 'boolean' | 'blob' | 'string' | 'time';
  readonly isArray: boolean;
}

/** The types that the RDS Data API returns, by their OID; any other has to be cast to text. */
const SCALARS: Readonly<Record<ResultType['kind'], readonly number[]>> = {
  boolean: [16],
  blob: [17],
  // bigint, smallint, integer
  long: [20, 21, 23],
  // text, json, cidr, inet, char, varchar, date, uuid, jsonb
  string: [25, 114, 650, 869, 1042, 1043, 1082, 2950, 3802],
  // real, double precision
  double: [700, 701],
  // time, timestamp, timestamptz
  time: [1083, 1114, 1184],
  decimal: [1700],
};
/** The same of their arrays. */
const ARRAYS: Readonly<Partial<Record<ResultType['kind'], readonly number[]>>> = {
  boolean: [1000],
  long: [1005, 1007, 1016],
  // text, char, varchar, date, uuid
  string: [1009, 1014, 1015, 1182, 2951],
  double: [1021, 1022],
  time: [1115, 1183, 1185],
  decimal: [1231],
};

const RESULT_TYPES: ReadonlyMap<number, ResultType> = new Map(
  [SCALARS, ARRAYS].flatMap((types, place) =>
    Object.entries(types).flatMap(([kind, oids]) =>
      oids.map((oid) => [oid, { kind: kind as ResultType['kind'], isArray: place > 0 }] as const),
    ),
  ),
);

/**
 * The type of a result's column.
 * @param nameOf finds the name of a type in the catalogue
 * @throws ServiceError for a type that the RDS Data API does not return
 */
export async function resultType(oid: number, nameOf: (oid: number) => Promise<string>): Promise<ResultType> {
  const known = RESULT_TYPES.get(oid);
  if (known !== undefined) return known;
  throw new ServiceError(
    'UnsupportedResultException',
    `The result contains the unsupported data type ${(await nameOf(oid)).toUpperCase()}.`,
  );
}
