import {
  ApprovalRequired,
  isReadIntent,
  kindsOfClass,
  type OutputToHandOut,
  type PlannedStatement,
  type TouchedData,
} from "../governance/index.js";
import type { RecordedCaller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { DataAccess, RecordedData } from "../kernel/tool-call.js";
import { POLICY_DECISIONS_MAX } from "./limits.js";
import type { CompiledPolicies } from "./ports.js";

/** Decides on a statement as it would run now. @throws AppError `POLICY_DENIED`; ApprovalRequired. */
type PermitStatement = (
  statement: Pick<PlannedStatement, "intent" | "kinds">,
  touched: TouchedData | undefined,
) => unknown;

/**
 * Permits handing out a stored output: to a caller who might run its statement now, and to one who
 * might read everything that the statement read. Together with the text of a statement that inserts
 * or updates, only a caller gets it who might also read what was written, because the text has the
 * written values as literals. What persons have approved counts for the caller who ran the
 * statement, and for nobody else. Of a statement that failed before its database reported what it touches, a policy
 * may forbid anything that its text and its error tell: they are given to the caller who ran it, and to who may read
 * everything.
 * @param everything stands for all data of the data source; `undefined` when nothing can.
 * @throws AppError `POLICY_DENIED`.
 */
export function permitOutput(
  caller: RecordedCaller,
  output: OutputToHandOut,
  touched: TouchedData | undefined,
  permit: PermitStatement,
  everything: () => TouchedData | undefined,
): void {
  const { intent, ranBy } = output;
  const isOwn = ranBy !== undefined && isSameParty(caller, ranBy);
  if (touched?.unreported && !isOwn) {
    const all = everything();
    const mayReadAll = all && refusalOf(() => permit({ intent: "read_select" }, all)) === undefined;
    if (!mayReadAll) throw unreported();
    return;
  }
  const refusalUnlessOwn = (ask: () => unknown): AppError | undefined => {
    const refusal = refusalOf(ask);
    return isOwn && refusal instanceof ApprovalRequired ? undefined : refusal;
  };
  const tellsWritten = output.showsStatement === true && writesValues(output, touched);
  const refusal = refusalUnlessOwn(() => permit(output, touched));
  if (refusal === undefined && !tellsWritten) return;
  if (refusal !== undefined && isReadIntent(intent)) throw withheld(refusal);
  const told = touched && (tellsWritten ? readAndWritten(touched) : onlyRead(touched));
  const ofRead = refusalUnlessOwn(() => permit({ intent: "read_select" }, told));
  if (ofRead !== undefined) throw withheld(ofRead);
}

/** Whether two callers are the same party: the same agent of the same person, person, or API key. */
export function isSameParty(one: RecordedCaller, other: RecordedCaller): boolean {
  if (one.userId !== other.userId || one.agentId !== other.agentId) return false;
  return one.userId !== undefined || one.agentId !== undefined || one.keyId === other.keyId;
}

/**
 * Recorded data in the form that decisions take. Equal data become one object, by which decisions
 * are cached.
 */
export class RecalledData {
  readonly #byText = new RecentMap<TouchedData>(POLICY_DECISIONS_MAX);

  of(recorded: RecordedData): TouchedData {
    return this.#byText.getOrMake(JSON.stringify(recorded), () => ({
      ...recorded,
      tables: recorded.tables.map((table) => ({ ...table, columns: [] })),
    }));
  }
}

/**
 * Data that nobody may read of whom policies keep anything in a data source: everything that policies name, and a
 * table and columns that stand for all that they do not name, which Cedar cannot distinguish.
 * @returns `undefined` when policies look at the names of all data together, in `context`.
 */
export function everythingIn(
  dataSource: string,
  policies: Pick<CompiledPolicies, "tables" | "columns" | "mentions">,
): RecordedData | undefined {
  if (policies.mentions("tables") || policies.mentions("columns")) return undefined;
  const prefix = `${dataSource}/`;
  const named = new Map([[UNNAMED, [UNNAMED]]]);
  const add = (table: string, column: string): void => {
    if (!table.startsWith(prefix)) return;
    const name = table.slice(prefix.length);
    named.set(name, [...(named.get(name) ?? [UNNAMED]), column]);
  };
  for (const table of policies.tables) add(table, UNNAMED);
  for (const column of policies.columns) {
    const end = column.lastIndexOf("/");
    add(column.slice(0, end), column.slice(end + 1));
  }
  const read = [...named].map(([name, used]) => ({ name, accesses: { read: used } }));
  return { tables: read, functions: [] };
}

/** No table or column has this name. */
const UNNAMED = "";

/** Whether the text of a statement can have values as literals that it puts into columns. */
function writesValues(
  { intent, kinds = kindsOfClass(intent) }: OutputToHandOut,
  touched: TouchedData | undefined,
): boolean {
  if (touched === undefined) {
    return kinds.includes("write_insert") || kinds.includes("write_update");
  }
  return touched.tables.some(
    ({ accesses }) => accesses.insert !== undefined || accesses.update !== undefined,
  );
}

/**
 * The data that a statement reads, or defines: all that its output can tell of. A change of a schema shows the
 * columns of its tables.
 */
const onlyRead = asReading(["read", "define"]);

/** The data that the text of a statement can tell of beside its output. */
const readAndWritten = asReading(["read", "define", "insert", "update"]);

/**
 * Makes a function that describes touched data as a statement would that only reads all columns used in these
 * ways. Calls with the same object return the same object, because decisions are cached by it.
 */
function asReading(ways: readonly DataAccess[]): (touched: TouchedData) => TouchedData {
  const readings = new WeakMap<TouchedData, TouchedData>();
  return (touched) => {
    const known = readings.get(touched);
    if (known !== undefined) return known;
    const tables = touched.tables.map(({ accesses, ...table }) => ({
      ...table,
      accesses: { read: [...new Set(ways.flatMap((way) => accesses[way] ?? []))] },
    }));
    const reading = { ...touched, tables };
    readings.set(touched, reading);
    return reading;
  };
}

function refusalOf(ask: () => unknown): AppError | undefined {
  try {
    ask();
    return undefined;
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal;
    return refusal;
  }
}

/** An output exists already, so that no approval could be asked for. */
function withheld(refusal: AppError): AppError {
  if (!(refusal instanceof ApprovalRequired)) return refusal;
  return new AppError(
    "POLICY_DENIED",
    `${refusal.message}; a stored output is not covered: run the statement in a step of your own, which asks for it`,
    { details: refusal.details },
  );
}

/** Names neither tables nor columns, because what is forbidden in the data source is not known to be touched. */
function unreported(): AppError {
  return new AppError(
    "POLICY_DENIED",
    "policies of the organization depend on tables and columns, and the statement ended before its database reported " +
      "which ones it touches: only who wrote and ran it, or may read everything in the data source, is shown it",
  );
}
