/**
 * A type of PostgreSQL: the OID of a built-in type, which never changes (pg_type.dat), or the
 * quoted, qualified name of any other type, such as `public.mood` or `public.mood[]`.
 */
export type PostgresType = number | string;

/** OIDs of built-in types whose representation is not that of text. */
export const POSTGRES = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  float4: 700,
  float8: 701,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  jsonb: 3802,
} as const;

/**
 * Built-in array types whose elements are converted one by one, with the types of their elements.
 */
const ELEMENTS: ReadonlyMap<number, number> = new Map([
  [143, 142],
  [199, 114],
  [651, 650],
  [1000, 16],
  [1001, 17],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1041, 869],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1187, 1186],
  [1231, 1700],
  [1270, 1266],
  [2951, 2950],
  [3807, 3802],
]);
const ARRAYS: ReadonlyMap<number, number> = new Map(
  [...ELEMENTS].map(([array, element]) => [element, array]),
);

/** The element type of an array type; `undefined` for any other type. */
export function elementTypeOf(type: PostgresType): PostgresType | undefined {
  if (typeof type === "number") return ELEMENTS.get(type);
  return type.endsWith("[]") ? type.slice(0, -2) : undefined;
}

/** The array type of a type, where it is known without asking the database. */
export function arrayTypeOf(type: PostgresType): PostgresType | undefined {
  return typeof type === "number" ? ARRAYS.get(type) : `${type}[]`;
}

/** Whether JSON represents values of the type exactly. */
export function isJsonType(type: PostgresType): boolean {
  return type === POSTGRES.json || type === POSTGRES.jsonb;
}
