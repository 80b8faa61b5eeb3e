import { assert } from "@steward/kernel/assert.js";
import type { Statement } from "../../model/commands.js";
import { oldName } from "../alter-type.js";
import { on, statement } from "../commands.js";
import { onOf, quoteName, quoteText } from "../objects/names.js";
import type { Retyping } from "./type-change.js";
import { columnType, ownType } from "./type-name.js";

/**
 * Converts values whose composite types get other attributes, or another order of them: by the
 * attributes' names, at every depth and also in arrays. The values go through JSON, into a
 * composite type of both versions that is there for these statements only.
 */
export interface AttributeCarrier {
  readonly make: Statement;
  /** The column's value in its new type. */
  readonly value: string;
  /** The converted value in the old type again. */
  readonly back: string;
  readonly drop: Statement;
}

export function attributeCarrier({ base, target, old, now }: Retyping): AttributeCarrier {
  const [from, to] = [columnType(base, old.values.type), columnType(target, now.values.type)];
  const type = ownType(base, from.name);
  assert(type !== undefined, `the column ${old.id} is of a user-defined type`);
  const replaced = target.get(type.id);
  const before = `${onOf(target, replaced)}.${quoteName(oldName(type.name))}${from.isArray ? "[]" : ""}`;
  const carrier = `${onOf(target, target.above(now))}."_steward_values"`;
  const through = (field: string, value: string): string => {
    const json = `json_build_object(${quoteText(field)}, ${value})`;
    return `(json_populate_record(NULL::${carrier}, ${json})).${quoteName(field)}`;
  };
  const value = `${through("new", quoteName(now.name))}::${now.values.type}`;
  const subject = { object: on(target, now).object };
  return {
    make: statement(
      "create",
      `CREATE TYPE ${carrier} AS ("old" ${before}, "new" ${to.text})`,
      subject,
    ),
    value,
    back: through("old", `(${value})`),
    drop: statement("drop", `DROP TYPE ${carrier}`, subject),
  };
}
