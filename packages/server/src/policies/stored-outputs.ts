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
 * statement, and for nobody else.
 * @throws AppError `POLICY_DENIED`.
 */
export function permitOutput(
  caller: RecordedCaller,
  output: OutputToHandOut,
  touched: TouchedData | undefined,
  permit: PermitStatement,
): void {
  const { intent, ranBy } = output;
  const isOwn = ranBy !== undefined && isSameParty(caller, ranBy);
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
