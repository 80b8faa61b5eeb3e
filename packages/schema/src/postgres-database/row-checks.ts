import type pg from "pg";
import { AppError } from "@steward/kernel/errors.js";
import { type RowQuestion, rowsWouldChange } from "../index.js";
import { reasonOf } from "./session.js";

/**
 * Checks whether a statement would change values.
 * @throws AppError `APPROVAL_REQUIRED` with the number of values and examples; `STEP_FAILED` when a
 * value cannot be converted.
 */
export async function refuseChangedRows(client: pg.Client, check: RowQuestion): Promise<void> {
  try {
    const counted = await client.query<{ count: string }>(check.count);
    const count = counted.rows[0]?.count ?? "0";
    if (count === "0") return;
    const { rows } = await client.query<{ example: string }>(check.examples);
    throw rowsWouldChange(
      check,
      count,
      rows.map(({ example }) => example),
    );
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const message = `PostgreSQL refuses values of ${check.object}: ${reasonOf(cause)}`;
    throw new AppError("STEP_FAILED", message, { cause });
  }
}
