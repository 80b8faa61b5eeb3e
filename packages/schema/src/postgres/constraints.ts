import type { Statement } from "../model/commands.js";
import { nameOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import { on, statement } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { type ConstraintKind, qualified, quoteName } from "./objects/names.js";
import { isUnchecked } from "./objects/unchecked.js";

/** How ADD CONSTRAINT adds a constraint. */
interface Addition {
  /** Whether only new rows are checked, until VALIDATE CONSTRAINT. */
  readonly isValidatedLater?: boolean;
  /** Whether the constraint is not added to the table's partitions. */
  readonly isOnly?: boolean;
}

/** ALTER TABLE or ALTER DOMAIN … ADD CONSTRAINT. */
export function addConstraint(
  schema: PostgresSchema,
  constraint: PostgresObject<ConstraintKind>,
  tables: LockedTables,
  { isValidatedLater = false, isOnly = false }: Addition = {},
): Statement {
  const { kind, name, values } = constraint;
  const above = schema.above(constraint);
  const head = alterOn(schema, constraint, isOnly);
  const end = isValidatedLater ? " NOT VALID" : "";
  const sql = `${head} ADD CONSTRAINT ${quoteName(name)} ${values.definition}${end}`;
  const subject = on(schema, constraint);
  const rows = isValidatedLater || isUnchecked(constraint) ? "instant" : "scan";
  if (above.kind === "Domain") {
    const others = rows === "scan" ? tables.withColumnsOf(above.id) : [];
    return statement("alter_domain", sql, { ...subject, others });
  }
  if (kind !== "ForeignKey") return statement("add_constraint", sql, { ...subject, rows });
  const others = tables.referencedBy(constraint, "SHARE ROW EXCLUSIVE");
  return statement("add_foreign_key", sql, { ...subject, rows, others });
}

/** VALIDATE CONSTRAINT. */
export function validateConstraint(
  schema: PostgresSchema,
  constraint: PostgresObject,
  tables: LockedTables,
): Statement {
  const above = schema.above(constraint);
  const sql = `${alterOn(schema, constraint)} VALIDATE CONSTRAINT ${quoteName(nameOf(constraint))}`;
  const subject = on(schema, constraint);
  if (above.kind === "Domain") {
    return statement("alter_domain", sql, {
      ...subject,
      others: tables.withColumnsOf(above.id),
    });
  }
  const others = tables.referencedBy(constraint, "ROW SHARE", "scan");
  return statement("validate_constraint", sql, { ...subject, rows: "scan", others });
}

/** The beginning of a statement that alters a constraint. */
export function alterOn(
  schema: PostgresSchema,
  constraint: PostgresObject,
  isOnly = false,
): string {
  const above = schema.above(constraint);
  const word = above.kind === "Domain" ? "DOMAIN" : "TABLE";
  return `ALTER ${word} ${isOnly ? "ONLY " : ""}${qualified(schema, above)}`;
}
