import {
  arrayTypeOf,
  elementTypeOf,
  isJsonType,
  POSTGRES,
  type PostgresType,
  type PostgresValue,
} from "../../plans/ports.js";
import type { ArrayType, TypeNames } from "./cell-json.js";
import type { Session } from "./session.js";

/** From this OID on, types are user-defined and their OIDs differ between databases. */
const OWN_OID_MIN = 10_000;
/** Number of cached types. With more types, some are read again. */
const TYPES_KEPT_MAX = 10_000;
/** Types that JSON represents exactly, and pseudo-types, which no parameter can have. */
const UNRECORDED: ReadonlySet<number> = new Set([
  POSTGRES.bool,
  POSTGRES.text,
  ...[705, 2249, 2275, 2276, 2277, 2278, 2287],
]);

/** A type that is not built in. */
interface OwnType {
  readonly array: ArrayType | undefined;
  /** Quoted and qualified; absent for a pseudo-type. */
  readonly name: string | undefined;
}

/**
 * A cache of one database's types, filled on demand. PostgreSQL rarely reuses OIDs, so entries stay
 * valid.
 */
export class TypeCatalog implements TypeNames {
  readonly #own = new Map<number, OwnType>();
  /**
   * OIDs of types and of their arrays, by the type's name in other databases; 0 for unknown ones.
   */
  readonly #oids = new Map<PostgresType, { readonly type: number; readonly array: number }>();

  arrayOf(oid: number): ArrayType | undefined {
    const element = elementTypeOf(oid);
    return typeof element === "number" ? { element, delimiter: "," } : this.#own.get(oid)?.array;
  }

  /**
   * The type information that a later step needs for a column; `undefined` when the JSON alone is
   * sufficient.
   */
  recordOf(oid: number): PostgresType | undefined {
    if (oid < OWN_OID_MIN) return UNRECORDED.has(oid) ? undefined : oid;
    const element = this.#own.get(oid)?.array?.element;
    // In JSON, the elements of an array of a domain look like those of the domain's base type.
    const isWritten = element === POSTGRES.bytea || (element !== undefined && isJsonType(element));
    return isWritten ? arrayTypeOf(element) : this.#own.get(oid)?.name;
  }

  /** Loads the types that are not cached yet. */
  async learn(oids: readonly number[], session: Session): Promise<void> {
    const unknown = oids.filter((oid) => oid >= OWN_OID_MIN && !this.#own.has(oid));
    if (unknown.length === 0) return;
    if (this.#own.size > TYPES_KEPT_MAX) this.#own.clear();
    const rows = await session.query(
      `SELECT t.oid, CASE WHEN e.typtype = 'd' THEN e.typbasetype ELSE e.oid END AS element, e.typdelim,
         CASE WHEN t.typtype <> 'p' THEN quote_ident(n.nspname) || '.' ||
           coalesce(quote_ident(e.typname) || '[]', quote_ident(t.typname)) END AS name
       FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
         JOIN pg_namespace n ON n.oid = coalesce(e.typnamespace, t.typnamespace)
       WHERE t.oid = ANY ($1::oid[])`,
      [`{${unknown.join(",")}}`],
    );
    for (const { oid, element, typdelim, name } of rows) {
      const isArray = typeof element === "string" && typeof typdelim === "string";
      this.#own.set(Number(oid), {
        array: isArray ? { element: Number(element), delimiter: typdelim } : undefined,
        name: typeof name === "string" ? name : undefined,
      });
    }
  }

  /** The OID to declare a parameter of; 0 when this database has no such type. */
  async oidOf({ type, isArray }: PostgresValue, session: Session): Promise<number> {
    const wanted = isArray === true ? arrayTypeOf(type) : type;
    if (typeof wanted === "number") return wanted;
    const isElement = typeof wanted === "string" && wanted.endsWith("[]");
    const found = await this.#find(isElement ? wanted.slice(0, -2) : type, session);
    return isElement || isArray === true ? found.array : found.type;
  }

  async #find(
    type: PostgresType,
    session: Session,
  ): Promise<{ readonly type: number; readonly array: number }> {
    const known = this.#oids.get(type);
    if (known !== undefined) return known;
    if (this.#oids.size > TYPES_KEPT_MAX) this.#oids.clear();
    const [row] = await session.query(
      `SELECT t.oid, t.typarray FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
       WHERE ${typeof type === "number" ? "t.oid = $1" : "quote_ident(n.nspname) || '.' || quote_ident(t.typname) = $1"}`,
      [type],
    );
    const found = { type: Number(row?.["oid"] ?? 0), array: Number(row?.["typarray"] ?? 0) };
    this.#oids.set(type, found);
    return found;
  }
}
