import { assert } from "@steward/kernel/assert.js";
import { AppError } from "@steward/kernel/errors.js";
import type { Statement } from "../../model/commands.js";
import type { PostgresObject, PostgresSchema } from "../../model/schema.js";
import { alteringColumn, alteringTable, statement } from "../commands.js";
import { inDependencyOrder } from "../objects/dependency-order.js";
import { isForeign, quoteName } from "../objects/names.js";
import type { RebuildPlan } from "../rebuild-plan.js";
import { reshapedTypes } from "./replaced-types.js";
import { columnType } from "./type-name.js";

/**
 * The columns of the base that store the row type of a table whose rows PostgreSQL would have to
 * rewrite, which it refuses as long as they do.
 */
export function parkedColumns(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
): readonly string[] {
  return rewrittenTables(target, rebuild).flatMap(({ id }) =>
    rebuild.stored
      .columnsOf(id)
      .filter((column) => target.find(column.id) !== undefined && !rebuild.anew.has(column.id))
      .filter(({ parent }) => !rebuild.recreated.has(parent) && !isForeign(base.get(parent)))
      .map((column) => column.id),
  );
}

/** The tables that stay and whose rows are written anew, as the target describes them. */
export function rewrittenTables(
  target: PostgresSchema,
  rebuild: RebuildPlan,
): readonly PostgresObject[] {
  return rebuild.matched
    .filter(({ now }) => now.kind === "Table" && !rebuild.recreated.has(now.id))
    .filter(({ old, now }) => {
      const isMoved =
        old.values.persistence !== now.values.persistence ||
        old.values.accessMethod !== now.values.accessMethod;
      const columns = target.partsOf(now.id, "Column");
      return isMoved || columns.some((column) => isRewriting(target, rebuild, column));
    })
    .map(({ now }) => now);
}

function isRewriting(
  target: PostgresSchema,
  rebuild: RebuildPlan,
  column: PostgresObject<"Column">,
): boolean {
  if (!rebuild.isFresh(column)) return rebuild.touched.has(column.id);
  const { values } = column;
  const given = [values.default, values.generated, values.identity];
  const isGiven = given.some((each) => each !== undefined);
  return isGiven || columnType(target, values.type).isConstrained;
}

/**
 * The statements that turn the parked columns into text. Their texts have the columns that the row
 * type is to have: the new ones are there at this moment, and are empty.
 */
export function parkColumns(
  base: PostgresSchema,
  target: PostgresSchema,
  rebuild: RebuildPlan,
): readonly Statement[] {
  if (rebuild.parked.size === 0) return [];
  const come = rebuild.matched
    .filter(({ now }) => now.kind === "Table" && !rebuild.recreated.has(now.id))
    .flatMap(({ now }) => target.partsOf(now.id, "Column").filter((each) => rebuild.isFresh(each)))
    .filter(({ parent }) => {
      return rebuild.stored.columnsOf(parent).some(({ id }) => rebuild.parked.has(id));
    });
  const columns = [...rebuild.parked].map((id) => target.get(id));
  const tables = new Set(columns.map(({ parent }) => base.get(parent ?? "")));
  // A row type may be stored in a column of a table whose row type is stored too.
  const outermost = inDependencyOrder(base, [...tables]).reverse();
  return [
    ...come.map((column) => {
      const action = `ADD COLUMN ${quoteName(column.name)} text`;
      return alteringTable("add_column", target, column, action);
    }),
    // Servers may be configured to print floating-point numbers with fewer digits than they store.
    ...columns.slice(0, 1).map((column) => {
      const subject = { object: target.pathOf(column) };
      return statement("set_parameter", "SET LOCAL extra_float_digits = 1", subject);
    }),
    ...outermost.flatMap(({ id }) =>
      columns
        .filter(({ parent }) => parent === id)
        .map((column) => {
          const action = `TYPE text USING ${quoteName(column.name ?? "")}::text`;
          return alteringColumn("alter_column_type", target, column, action, "rewrite");
        }),
    ),
    ...come.map((column) =>
      alteringTable("drop_column", target, column, `DROP COLUMN ${quoteName(column.name)}`),
    ),
  ];
}

/**
 * The text of a parked column is read back in the attributes' new order.
 * @throws AppError `INVALID_ARGUMENT`, naming the column and the type, when that is another one.
 */
export function refuseReshapedRows(target: PostgresSchema, rebuild: RebuildPlan): void {
  const id = [...rebuild.parked].find((each) => rebuild.reshaped.has(each));
  if (id === undefined) return;
  const type = reshapedTypes(rebuild).find((each) => {
    return rebuild.stored.columnsOf(each.id).some((column) => column.id === id);
  });
  assert(type !== undefined, `the column ${id} stores a type with other attributes`);
  throw new AppError(
    "INVALID_ARGUMENT",
    `The column ${target.pathOf(target.get(id))} stores rows of a table with the composite type ${target.pathOf(type)}, whose ` +
      "attributes would change their types and be added or dropped at once, or get another order, there or on the " +
      "way back, and the stored rows could not be read then. Add attributes at the end, or change only their types, " +
      "in a migration of its own",
  );
}
