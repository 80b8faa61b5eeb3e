import {
  accessOf,
  type DataAccess,
  type Intent,
  type TouchedData,
  type TouchedTable,
  withSources,
} from "../governance/index.js";
import { needsOnlyApproval } from "./denial.js";
import type { PolicyDecision, PolicyRequest, PolicyResource, StatementContext } from "./ports.js";

/** Types and attributes of the schema that concern the touched data. */
export const ABOUT_DATA = ["Table", "Column", "tables", "columns", "functions"] as const;

/** A request for a decision on a statement. */
export type StatementRequest = PolicyRequest & { readonly context: StatementContext };

/** A table or column that a statement touches, and the policy that forbids it, if any. */
export interface Part {
  /** Its name for callers. */
  readonly name: string;
  readonly denial?: Denial | undefined;
}

/** A request and its denial. */
interface Denial {
  readonly request: PolicyRequest;
  readonly decision: PolicyDecision;
}

/** The policies that decide. */
interface Policies {
  readonly decide: (request: PolicyRequest) => PolicyDecision;
  readonly mentions: (name: string) => boolean;
}

/** The attributes of a statement on which the decisions about its parts depend. */
interface Deed {
  readonly intent: Intent;
  readonly touched: TouchedData;
}

/**
 * Decides about each table and each column that a statement touches, by the way it is used: data
 * that is only read is decided as `read_select`, whatever the statement's intent. The right to the
 * intent itself was checked for the whole data source, so here only policies that forbid count.
 */
export function partsOf(
  request: StatementRequest,
  { intent, touched }: Deed,
  policies: Policies,
): readonly Part[] {
  return touched.tables.flatMap((table) => {
    const ask = { request, table, policies };
    const denial = tableDenial(ask, intent);
    const part: Part = { name: `table ${table.name}`, denial };
    // An approval covers the columns too, so that theirs must be known.
    const isDenied = denial !== undefined && !needsOnlyApproval(denial.decision.policies);
    if (isDenied || !policies.mentions("Column")) return [part];
    return [part, ...columnParts(ask, intent)];
  });
}

/** The usable data: touched and not denied, and the other columns of tables with denied columns. */
export function usableInstead(
  request: StatementRequest,
  { parts, touched }: { readonly parts: readonly Part[]; readonly touched: TouchedData },
  policies: Policies,
): readonly string[] {
  const asked = new Set(parts.map(({ name }) => name));
  const denied = new Set(parts.flatMap(({ name, denial }) => (denial === undefined ? [] : [name])));
  const left = [...asked].filter((name) => !denied.has(name));
  const others = touched.tables.flatMap((table) => {
    const isDenied = parts.some(
      ({ name, denial }) => denial !== undefined && name.startsWith(`column ${table.name}.`),
    );
    if (!isDenied) return [];
    const ask = { request, table, policies };
    return table.columns
      .filter((column) => !asked.has(columnName(table, column)))
      .filter((column) =>
        withSources(table, column).every(
          (read) => denialBy(ask, "read_select", read) === undefined,
        ),
      )
      .map((column) => columnName(table, column));
  });
  return [...left, ...others];
}

/** The groups of the action of a statement. */
export function groupsOf(action: string): readonly string[] {
  return action.startsWith("write_") || action === "cross_system_transaction"
    ? ["writes", "statements"]
    : ["statements"];
}

/**
 * The names of a table in policies: with its schema, and without. Where only a text is known, each of its dots may
 * end the schema.
 */
export function namesOf({
  name,
  schema,
}: Pick<TouchedTable, "name" | "schema">): readonly string[] {
  if (schema === "") return [name];
  if (schema !== undefined) return [name, name.slice(schema.length + 1)];
  const parts = name.split(".");
  return parts.map((_, first) => parts.slice(first).join("."));
}

/** A table whose visible columns are requested. */
interface Ask {
  readonly request: StatementRequest;
  readonly table: TouchedTable;
  readonly policies: Policies;
}

function tableDenial(ask: Ask, intent: Intent): Denial | undefined {
  const accesses = accessesOf(ask.table);
  if (accesses.length > 0) return firstDenial(ask, accesses, intent);
  // Whether the data is read or changed is unknown. A policy that forbids only one of the two does
  // not forbid the statement.
  const denials = [...new Set([accessOf(intent), "read" as const])].map((access) =>
    firstDenial(ask, [access], intent),
  );
  return denials.includes(undefined) ? undefined : combined(denials);
}

function columnParts(ask: Ask, intent: Intent): readonly Part[] {
  const { table } = ask;
  const byColumn = new Map<string, DataAccess[]>();
  for (const access of accessesOf(table)) {
    for (const column of table.accesses[access] ?? []) {
      byColumn.set(column, [...(byColumn.get(column) ?? []), access]);
    }
  }
  return [...byColumn].map(([column, accesses]) => ({
    name: columnName(table, column),
    denial: firstDenial(ask, accesses, intent, column),
  }));
}

const ACCESSES: readonly DataAccess[] = ["read", "insert", "update", "delete", "define"];

function accessesOf({ accesses }: TouchedTable): readonly DataAccess[] {
  return ACCESSES.filter((access) => accesses[access] !== undefined);
}

function firstDenial(
  ask: Ask,
  accesses: readonly DataAccess[],
  intent: Intent,
  column?: string,
): Denial | undefined {
  const actions = [...new Set(accesses.flatMap((access) => actionsOf(access, intent)))];
  return combined(actions.map((action) => denialBy(ask, action, column)));
}

/**
 * The first denial that no approval lifts. When there is none, all denials as one, because an approval has to
 * meet every policy that demands one.
 */
function combined(denials: readonly (Denial | undefined)[]): Denial | undefined {
  const found = denials.filter((denial) => denial !== undefined);
  const [first] = found;
  if (first === undefined || found.length === 1) return first;
  const final = found.find(({ decision }) => !needsOnlyApproval(decision.policies));
  if (final !== undefined) return final;
  const policies = found.flatMap(({ decision }) => decision.policies);
  return { request: first.request, decision: { permitted: false, policies } };
}

/**
 * The actions to decide on: the action of the access and, for a change, the statement's own intent.
 */
function actionsOf(access: DataAccess, intent: Intent): readonly string[] {
  switch (access) {
    case "read":
      return ["read_select"];
    case "define":
      return [intent];
    default: {
      const coversMany = intent === "admin" || intent === "cross_system_transaction";
      return coversMany ? [`write_${access}`, intent] : [`write_${access}`];
    }
  }
}

function denialBy(
  { request, table, policies }: Ask,
  action: string,
  column?: string,
): Denial | undefined {
  const denials = namesOf(table).map((name): Denial | undefined => {
    const asked = {
      ...request,
      action,
      actionGroups: groupsOf(action),
      resource: resourceOf(request, name, column),
    };
    const decision = policies.decide(asked);
    const isDenied = !decision.permitted && decision.policies.length > 0;
    return isDenied ? { request: asked, decision } : undefined;
  });
  return combined(denials);
}

function resourceOf(
  { resource }: StatementRequest,
  table: string,
  column?: string,
): PolicyResource {
  const { orgId } = resource;
  const dataSource = "dataSource" in resource ? resource.dataSource : "";
  return column === undefined
    ? { kind: "table", orgId, dataSource, table }
    : { kind: "column", orgId, dataSource, table, column };
}

function columnName({ name }: TouchedTable, column: string): string {
  return `column ${name}.${column}`;
}
