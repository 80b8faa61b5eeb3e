import { BY_HAND, type HandWrittenOperation, type HandWrittenPart } from "./by-hand.js";
import type { Audit, Operation, OperationTable } from "./operation.js";

/** An operation as one row of the table that `steward operations` and docs/operations.md show. */
export interface ListedOperation {
  readonly group: string;
  readonly operation: string;
  /** Absent: policies are not asked. */
  readonly action?: string | undefined;
  /** The kind of its audit record, or `plan log`; absent: it leaves none. */
  readonly audit?: string | undefined;
  /** When the record is written; absent where the log of the plan is it. */
  readonly time?: Exclude<Audit, string>["time"] | undefined;
  /** Whether a client may send a request again when it does not know whether it arrived. */
  readonly retry: boolean;
  /** `POST /billing/budgets`. */
  readonly rest?: string | undefined;
  readonly grpc?: string | undefined;
  readonly command?: string | undefined;
  /** Why it, or one of its wires, is written by hand. */
  readonly by_hand?: string | undefined;
}

/**
 * All operations of the groups and those that are written by hand, by group.
 * @throws Error when what is written by hand is described too, or a part of it belongs to no operation.
 */
export function listedOperations(
  groups: Readonly<Record<string, OperationTable>>,
): readonly ListedOperation[] {
  const described = Object.entries(groups).flatMap(([group, table]) =>
    Object.values(table).map((operation) => describedRow(group, operation)),
  );
  const rows = new Map(described.map((row) => [row.operation, row]));
  for (const written of BY_HAND) {
    if ("name" in written) {
      if (rows.has(written.name)) throw new Error(`by-hand.ts and a file describe ${written.name}`);
      rows.set(written.name, rowOf(written));
    } else {
      for (const name of written.of) rows.set(name, withPart(rows.get(name), name, written));
    }
  }
  return [...rows.values()].toSorted((a, b) => a.group.localeCompare(b.group));
}

function describedRow(group: string, operation: Operation): ListedOperation {
  const { rest, grpc, cli } = operation;
  return rowOf({
    ...{ ...operation, group, retry: operation.retry ?? rest?.method === "GET" },
    ...{ rest: rest && `${rest.method} ${rest.path}`, grpc: grpc?.method, cli: cli?.command },
  });
}

type Row = Pick<HandWrittenOperation, "name" | "group" | "action" | "audit" | "retry"> & {
  readonly [Wire in "rest" | "grpc" | "cli" | "reason"]?: string | undefined;
};

function rowOf({ audit, ...row }: Row): ListedOperation {
  const { name: operation, group, action, retry, rest, grpc, cli: command, reason: by_hand } = row;
  const { kind, time } = typeof audit === "object" ? audit : { kind: audit };
  const head = { group, operation, action, audit: kind === "nothing" ? undefined : kind, time };
  return { ...head, retry, rest, grpc, command, by_hand };
}

function withPart(
  row: ListedOperation | undefined,
  name: string,
  { rest, grpc, cli, reason }: HandWrittenPart,
): ListedOperation {
  if (row === undefined)
    throw new Error(`by-hand.ts has a part of ${name}, which no file describes`);
  const wires = { rest: rest ?? row.rest, grpc: grpc ?? row.grpc, command: cli ?? row.command };
  const why = `${rest ?? grpc ?? cli ?? name}: ${reason}`;
  const by_hand = row.by_hand === undefined ? why : `${row.by_hand}; ${why}`;
  return { ...row, ...wires, by_hand };
}
