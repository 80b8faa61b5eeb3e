import type { CatalogTable, PolicyCase } from "@steward/client";
import { isSensitive } from "./sensitive-names.js";

/** A data source with its tables. */
export interface SchemaToProtect {
  readonly dataSource: string;
  readonly tables: readonly Pick<CatalogTable, "table" | "columns">[];
}

/** Policies for the start, with the cases that test them. */
export interface StarterPolicies {
  /** In Cedar. */
  readonly text: string;
  readonly cases: readonly PolicyCase[];
  /** Columns that the policies keep from agents, as in `shop/customers/email`. */
  readonly denied: readonly string[];
  /** Such columns that the text has no room for, or that policies cannot name. */
  readonly leftOut: readonly string[];
}

/** Rows that an agent's statement may change. */
const ROWS_CHANGED = 10;
/** Columns that one policy names: a policy of many is slow to check. */
const COLUMNS_OF_POLICY = 20;
/** Cases about denied columns: enough to see that the names are right. */
const COLUMN_CASES_MAX = 50;

/**
 * Policies for agents that have none yet: sensitive columns are denied, each change waits for a
 * person, and few rows may change.
 * @param bytesMax bytes of the text.
 */
export function starterPolicies(
  schemas: readonly SchemaToProtect[],
  bytesMax: number,
): StarterPolicies {
  const sensitive = schemas.flatMap(({ dataSource, tables }) =>
    tables.flatMap(({ table, columns }) =>
      columns
        .filter(({ name }) => isSensitive(name))
        .map(({ name }): SensitiveColumn => {
          const column = { dataSource, table: nameOf(table), column: nameOf(name) };
          return { ...column, id: `${dataSource}/${column.table}/${column.column}` };
        }),
    ),
  );
  const writable = sensitive.filter(({ id }) => WRITABLE.test(id));
  let denied = writable;
  let text = textOf(denied);
  while (Buffer.byteLength(text) > bytesMax && denied.length > 0) {
    denied = denied.slice(0, -COLUMNS_OF_POLICY);
    text = textOf(denied);
  }
  return {
    text,
    cases: casesOf(schemas, denied.slice(0, COLUMN_CASES_MAX)),
    denied: denied.map(({ id }) => id),
    leftOut: sensitive.filter((column) => !denied.includes(column)).map(({ id }) => id),
  };
}

/** A column that agents should not read. */
interface SensitiveColumn {
  readonly dataSource: string;
  readonly table: string;
  readonly column: string;
  /** As policies name it. */
  readonly id: string;
}

/** A name as policies write it. */
function nameOf(name: string): string {
  return name.replaceAll('"', "").toLowerCase();
}

function textOf(columns: readonly SensitiveColumn[]): string {
  return `// Policies of an organization whose agents have just begun to work on its data. They only
// forbid: what a caller may do at all is the matter of roles (steward policy show).
// \`principal.isAgent\` is true for every credential that names an agent or has the role agent.
// Change the file, test it, and put it into force:
//
//   steward policy test FILE.cases.yaml --policies FILE.cedar
//   steward policy put FILE.cedar

// Each change of rows or of the schema by an agent waits until a person has approved it.
@id("agents-change-with-approval")
// What the agent is told.
@reason("A person approves what an agent changes")
// The role of those who decide. Two persons would be: @approvals_min("2").
@approval("approver")
// The person may approve a plan as a whole, if the values of its statements are known.
@approval_plan("known")
forbid (
  principal,
  // "writes" are write_insert, write_update, write_delete and cross_system_transaction;
  // "admin" is everything that changes the schema or the database itself, by a statement or a migration.
  action in [Steward::Action::"writes", Steward::Action::"admin"],
  resource
)
when { principal.isAgent }
// The approval lifts this policy for the one statement that was approved.
unless { context.approved };

// A statement of an agent that would change more rows than these fails and changes nothing.
@id("agents-change-few-rows")
@reason("An agent changes at most ${String(ROWS_CHANGED)} rows with one statement")
// The same number as in the condition: it makes the policy a limit instead of a refusal.
@rows_changed_max("${String(ROWS_CHANGED)}")
forbid (principal, action in Steward::Action::"writes", resource)
when { principal.isAgent && context.rowsChangedMax > ${String(ROWS_CHANGED)} };
${columnPolicies(columns).join("")}`;
}

function columnPolicies(columns: readonly SensitiveColumn[]): readonly string[] {
  const policies: string[] = [];
  for (let first = 0; first < columns.length; first += COLUMNS_OF_POLICY) {
    const named = columns.slice(first, first + COLUMNS_OF_POLICY);
    const number = columns.length <= COLUMNS_OF_POLICY ? "" : `-${String(policies.length + 1)}`;
    policies.push(`
// Columns whose names sound personal or secret: agents neither read nor change them, also not to
// sort or compare by them. Take out what agents need, and add what the names do not tell.
@id("agents-without-sensitive-columns${number}")
@reason("The column is sensitive, and agents do without it")
forbid (principal, action in Steward::Action::"statements", resource)
when {
  principal.isAgent &&
  (
    ${named.map(({ id }) => `resource == Steward::Column::${JSON.stringify(id)}`).join(" ||\n    ")}
  )
};
`);
  }
  return policies;
}

/** Names that policies can hold: Cedar refuses what changes the direction of text, and mixed scripts. */
const WRITABLE = /^[ -~]*$/;

function casesOf(
  schemas: readonly SchemaToProtect[],
  denied: readonly SensitiveColumn[],
): readonly PolicyCase[] {
  const agent = { roles: ["agent"], agent_id: "any-agent" };
  return [
    ...schemas.flatMap(({ dataSource: data_source, tables }) => {
      const [first] = tables;
      if (first === undefined) return [];
      const asked = { ...agent, data_source, tables: [nameOf(first.table)] };
      const on = `${data_source}/${nameOf(first.table)}`;
      return (["write_insert", "write_update", "write_delete", "admin"] as const).map(
        (action): PolicyCase => ({
          name: `${action} of an agent on ${on} waits for a person`,
          // The role agent does not permit changes of the schema at all.
          ...{ expect: action === "admin" ? "deny" : "approval", action, ...asked },
        }),
      );
    }),
    ...schemas.flatMap(({ dataSource: data_source, tables }) =>
      tables.slice(0, 1).map(({ table, columns }): PolicyCase => {
        const open = columns.map(({ name }) => nameOf(name)).filter((name) => !isSensitive(name));
        return {
          name: `an agent reads ${data_source}/${nameOf(table)}`,
          ...{ expect: "permit", action: "read_select", ...agent, data_source },
          tables: [nameOf(table)],
          columns: open.map((name) => `${nameOf(table)}.${name}`),
        };
      }),
    ),
    ...denied.map(({ dataSource: data_source, table, column }): PolicyCase => ({
      name: `an agent does not read ${data_source}/${table}/${column}`,
      ...{ expect: "deny", action: "read_select", ...agent, data_source },
      columns: [`${table}.${column}`],
    })),
    {
      ...{ name: "an agent does not change policies", expect: "deny" },
      ...{ action: "policies:write", ...agent },
    },
    {
      ...{ name: "an approver decides", expect: "permit", action: "approvals:decide" },
      ...{ roles: ["approver"], user_id: "any-person" },
    },
    {
      ...{ name: "an admin changes policies", expect: "permit", action: "policies:write" },
      ...{ roles: ["admin"], user_id: "any-person" },
    },
  ];
}
