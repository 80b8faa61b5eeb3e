import type { ArrayType, TypeNames } from "./cell-json.js";
import type { Session } from "./session.js";

/** Array types of PostgreSQL's own, by OID: their elements' OIDs (pg_type.dat). */
const BUILT_IN_ARRAYS: ReadonlyMap<number, number> = new Map([
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
/** From here on the OIDs are of types that somebody has made. */
const OWN_OID_MIN = 16_384;
/** Types remembered; more only means that some are asked for again. */
const TYPES_KEPT_MAX = 10_000;

/** The types of one database, asked for as results need them. OIDs are not used again soon. */
export class TypeCatalog implements TypeNames {
  readonly #own = new Map<number, ArrayType | undefined>();

  arrayOf(oid: number): ArrayType | undefined {
    const element = BUILT_IN_ARRAYS.get(oid);
    return element === undefined ? this.#own.get(oid) : { element, delimiter: "," };
  }

  /** Makes sure that these types are known. */
  async learn(oids: readonly number[], session: Session): Promise<void> {
    const unknown = oids.filter((oid) => oid >= OWN_OID_MIN && !this.#own.has(oid));
    if (unknown.length === 0) return;
    if (this.#own.size > TYPES_KEPT_MAX) this.#own.clear();
    const rows = await session.query(
      `SELECT t.oid, CASE WHEN e.typtype = 'd' THEN e.typbasetype ELSE e.oid END AS element, e.typdelim
       FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
       WHERE t.oid = ANY ($1::oid[])`,
      [`{${unknown.join(",")}}`],
    );
    for (const { oid, element, typdelim } of rows) {
      const isArray = typeof element === "string" && typeof typdelim === "string";
      this.#own.set(
        Number(oid),
        isArray ? { element: Number(element), delimiter: typdelim } : undefined,
      );
    }
  }
}
