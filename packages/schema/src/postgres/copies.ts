import { nameOf, type PartOf, type PostgresObject, type PostgresSchema } from "../model/schema.js";
import type { Kind } from "../model/kinds.js";
import type { Statement } from "../model/commands.js";
import { commentOn, on, statement, type Subject } from "./commands.js";
import type { LockedTables } from "./locks/locked-tables.js";
import { onOf, qualified, quoteName, quoteText } from "./objects/names.js";

/** The settings of a copy that differ from those of its source. */
type Copy = Partial<PartOf<"triggerDetails"> | PartOf<"constraintDetails">>;

const NOTHING: Copy = {};

/** The triggers and checks of parent tables of which a table has copies. */
interface Sources {
  /** The current name of an object of the base schema. */
  readonly labelNow: (kind: Kind, label: string) => string;
  /** Whether the copy of the object with this name is new and has default settings. */
  readonly isFresh: (kind: Kind, label: string) => boolean;
  /** A trigger's firing mode, unless it is the default. */
  readonly firing: (label: string) => string | undefined;
}

/** The statements about a table's copies of its parents' triggers and checks. */
export function copiedPartSettings(
  target: PostgresSchema,
  old: PostgresObject | undefined,
  now: PostgresObject,
  { labelNow, isFresh, firing }: Sources,
): readonly Statement[] {
  const table = qualified(target, now);
  const changes = (property: "triggerDetails" | "constraintDetails", kind: Kind): CopyChange[] => {
    const has = now.values[property] ?? [];
    const had = (old?.values[property] ?? []).map((part) => ({
      ...part,
      label: labelNow(kind, part.label),
    }));
    const labels = new Set([...had, ...has].map(({ label }) => label));
    return [...labels].map((label) => {
      const find = (parts: readonly Copy[]): Copy =>
        parts.find((part) => part.label === label) ?? NOTHING;
      return { label, before: isFresh(kind, label) ? NOTHING : find(had), after: find(has) };
    });
  };
  return [
    ...changes("triggerDetails", "Trigger").flatMap((each) =>
      triggerCopy(table, subjectOf(each), each, firing(each.label) ?? "ENABLE"),
    ),
    ...changes("constraintDetails", "CheckConstraint").flatMap((each) =>
      checkCopy(table, subjectOf(each), each),
    ),
  ];
  function subjectOf({ label }: CopyChange): Subject {
    const path = target.pathOf(now);
    return { object: `${path}.${label}`, table: path };
  }
}

interface CopyChange {
  readonly label: string;
  readonly before: Copy;
  readonly after: Copy;
}

function triggerCopy(
  table: string,
  subject: Subject,
  { label, before, after }: CopyChange,
  usual: string,
): readonly Statement[] {
  const trigger = `TRIGGER ${quoteName(label)}`;
  const sql = `ALTER TABLE ${table} ${after.enabled ?? usual} ${trigger}`;
  return [
    ...(before.enabled === after.enabled ? [] : [statement("set_trigger_state", sql, subject)]),
    ...comment(`${trigger} ON ${table}`, subject, before, after),
  ];
}

function checkCopy(
  table: string,
  subject: Subject,
  { label, before, after }: CopyChange,
): readonly Statement[] {
  const constraint = `CONSTRAINT ${quoteName(label)}`;
  const sql = `ALTER TABLE ${table} VALIDATE ${constraint}`;
  return [
    ...(after.isValidated === true && before.isValidated !== true
      ? [statement("validate_constraint", sql, { ...subject, rows: "scan" })]
      : []),
    ...comment(`${constraint} ON ${table}`, subject, before, after),
  ];
}

function comment(what: string, subject: Subject, before: Copy, after: Copy): readonly Statement[] {
  if (before.comment === after.comment) return [];
  return [commentOn(what, { object: subject.object }, after.comment)];
}

/** Names of the extensions that an object depends on. */
export function extensionsOf(object: PostgresObject | undefined): readonly string[] {
  const parts = object?.values.neededExtensions ?? [];
  return parts.map(({ label }) => label);
}

/**
 * The statements that set the firing mode of a constraint's internal triggers. The names of such
 * triggers contain the constraint's OID, so the statements find them by the function that each
 * trigger calls.
 */
export function triggerStates(
  schema: PostgresSchema,
  constraint: PostgresObject,
  tables: LockedTables,
  before: string | undefined,
): readonly Statement[] {
  const after = constraint.values.triggerStates;
  const [had, has] = [statesIn(before), statesIn(after)];
  const functions = [...new Set([...had.keys(), ...has.keys()])];
  const table = quoteText(onOf(schema, constraint));
  return functions.flatMap((name) => {
    const state = has.get(name) ?? "ENABLE";
    if (state === (had.get(name) ?? "ENABLE")) return [];
    const sql = `DO $steward$ DECLARE t record; BEGIN FOR t IN SELECT g.tgrelid::regclass AS relation, g.tgname AS name
  FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_proc f ON f.oid = g.tgfoid
  JOIN pg_catalog.pg_constraint k ON k.oid = g.tgconstraint
  WHERE g.tgisinternal AND k.conrelid = ${table}::regclass AND k.conname = ${quoteText(nameOf(constraint))}
    AND f.proname = ${quoteText(name)}
  LOOP EXECUTE format('ALTER TABLE %s ${state} TRIGGER %I', t.relation, t.name); END LOOP; END $steward$`;
    // Only the query knows the triggers, so the locks cover both tables of the key.
    const others = tables.referencedBy(constraint, "SHARE ROW EXCLUSIVE");
    return [statement("set_trigger_state", sql, { ...on(schema, constraint), others })];
  });
}

/** Firing modes by the name of the trigger's function: `RI_FKey_check_ins DISABLE, …`. */
function statesIn(text: string | undefined): ReadonlyMap<string, string> {
  const states = text === undefined ? [] : text.split(", ");
  return new Map(
    states.map((each) => {
      const [name = "", ...state] = each.split(" ");
      return [name, state.join(" ")];
    }),
  );
}
