/** Columns with JSON in which the plans of others name a user, by table. */
export interface NamingColumns {
  readonly table: string;
  /** The SQL of the id of the row's plan, as text. */
  readonly planId: string;
  /** Together with the organization, and of a log with the plan, the key of a row. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

export const NAMING_COLUMNS: readonly NamingColumns[] = [
  { table: "plans", planId: "plan_id", key: ["plan_id"], columns: ["failure"] },
  { table: "plan_definitions", planId: "plan_id", key: ["plan_id"], columns: ["steps"] },
  {
    ...{ table: "plan_changes", planId: "plan_id", key: ["plan_id", "sequence"] },
    columns: ["events", "steps", "origins", "augmentation_hints"],
  },
  {
    ...{ table: "approvals", planId: "plan_id", key: ["approval_id"] },
    columns: ["approval", "subject"],
  },
  {
    // The id of a message has the plan's after `msg_`.
    ...{ table: "webhook_deliveries", planId: "substr(message_id, 5, 36)" },
    ...{ key: ["target", "message_id"], columns: ["body"] },
  },
];

/** A text as it stands within a text of JSON. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The columns of a row that name the user, with their JSON without the name. */
export function columnsWithoutUser(
  { columns }: NamingColumns,
  row: Readonly<Record<string, unknown>>,
  userId: string,
): readonly (readonly [column: string, json: string])[] {
  return columns.flatMap((column) => {
    const json = row[column];
    if (typeof json !== "string") return [];
    const rest = withoutUser(json, userId);
    return rest === json ? [] : [[column, rest] as const];
  });
}

/**
 * The JSON of a column of {@link NAMING_COLUMNS} in which the user's id has become the empty text where
 * it says who asked for, wrote or decided something. What callers have written stays.
 */
function withoutUser(json: string, userId: string): string {
  return JSON.stringify(JSON.parse(json), (key, value: unknown) => {
    if (Array.isArray(value)) {
      const list: readonly unknown[] = value;
      if (key === "authors") return list.map((each) => (each === userId ? "" : each));
      return isCallerOf(list, userId) ? list.with(USER_PLACE, "") : list;
    }
    if (typeof value !== "string") return value;
    if (USERS.has(key)) return value === userId ? "" : value;
    if (PARTIES.has(key)) {
      return value
        .split(PARTY_SEPARATOR)
        .map((each) => (each === userId ? "" : each))
        .join(PARTY_SEPARATOR);
    }
    return value.replaceAll(`: ${userId} denied it`, ": somebody denied it");
  });
}

/** Members with the id of a user. */
const USERS: ReadonlySet<string> = new Set(["userId", "author"]);
/** Members of events with the names of parties. */
const PARTIES: ReadonlySet<string> = new Set(["approver", "requester"]);
const PARTY_SEPARATOR = ", ";
/** The place of the user in the stored form of a caller. */
const USER_PLACE = 4;

/** Whether it is the stored form of a caller who is this user, or acts for them. */
function isCallerOf(value: readonly unknown[], userId: string): boolean {
  const [, , roles, permissions] = value;
  return Array.isArray(roles) && Array.isArray(permissions) && value[USER_PLACE] === userId;
}
