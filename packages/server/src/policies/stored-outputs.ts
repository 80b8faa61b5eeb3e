import {
  ApprovalRequired,
  isReadIntent,
  type OutputToHandOut,
  type PlannedStatement,
  type TouchedData,
} from "../governance/index.js";
import type { RecordedCaller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import { RecentMap } from "@steward/kernel/recent-map.js";
import type { RecordedData } from "../kernel/tool-call.js";
import { POLICY_DECISIONS_MAX } from "./limits.js";

/** Decides on a statement as it would run now. @throws AppError `POLICY_DENIED`; ApprovalRequired. */
type PermitStatement = (
  statement: Pick<PlannedStatement, "intent" | "kinds">,
  touched: TouchedData | undefined,
) => unknown;

/**
 * Permits handing out a stored output: to a caller who might run its statement now, and to one who
 * might read everything that the statement read. What persons have approved counts for the caller
 * who ran the statement, and for nobody else.
 * @throws AppError `POLICY_DENIED`.
 */
export function permitOutput(
  caller: RecordedCaller,
  output: OutputToHandOut,
  touched: TouchedData | undefined,
  permit: PermitStatement,
): void {
  const { intent, ranBy } = output;
  const refusal = refusalOf(() => permit(output, touched));
  if (refusal === undefined) return;
  const isOwn = ranBy !== undefined && isSameParty(caller, ranBy);
  if (isOwn && refusal instanceof ApprovalRequired) return;
  if (isReadIntent(intent)) throw withheld(refusal);
  const ofRead = refusalOf(() => permit({ intent: "read_select" }, touched && onlyRead(touched)));
  if (ofRead === undefined || (isOwn && ofRead instanceof ApprovalRequired)) return;
  throw withheld(ofRead);
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

const reads = new WeakMap<TouchedData, TouchedData>();

/**
 * The data that a statement reads, or defines: all that its output can tell of. A change of a schema shows the
 * columns of its tables.
 */
function onlyRead(touched: TouchedData): TouchedData {
  const known = reads.get(touched);
  if (known !== undefined) return known;
  const tables = touched.tables.map(({ accesses, ...table }) => ({
    ...table,
    accesses: { read: [...(accesses.read ?? []), ...(accesses.define ?? [])] },
  }));
  const read = { ...touched, tables };
  reads.set(touched, read);
  return read;
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
