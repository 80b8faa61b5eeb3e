import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { needsOf } from "../objects/dependency-order.js";
import { namesIn } from "../objects/names.js";
import { inheritedColumn } from "./inheritance.js";

/**
 * The partitioned tables whose partition keys use something that goes or gets another type. PostgreSQL
 * alters none of it while the table exists, so the table is created again.
 * @param isGone whether an object goes, even if only until it is recreated.
 */
export function repartitionedTables(
  schema: PostgresSchema,
  isGone: (id: string) => boolean,
): readonly PostgresObject[] {
  return schema.all("Table").filter((table) => {
    const key = table.values.partitionKey;
    if (key === undefined) return false;
    const names = namesIn(key);
    const columns = [...names].flatMap((name) => {
      const own = schema.partsOf(table.id, "Column").find((column) => column.name === name);
      return own ?? inheritedColumn(schema, table, name) ?? [];
    });
    // The types of a partition's columns are among the needs of the partition.
    const others = needsOf(table).flatMap((id) => schema.find(id) ?? []);
    const named = others.filter(({ kind, name = "" }) => {
      return kind !== "Table" && names.has(name.replace(/\(.*$/s, ""));
    });
    return [...columns, ...named].some(({ id }) => isGone(id));
  });
}
