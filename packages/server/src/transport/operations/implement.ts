import type { InputOf, Operation, OutputOf } from "@steward/operations";
import type { QueryRuntimeContext } from "../../plans/index.js";
import { withApprovedIds } from "../approvals/approved-ids.js";

/** One call of an operation, whatever wire it came on. */
export interface OperationCall<Input> {
  readonly input: Input;
  /** The caller, its signal and, where the audit log records the operation, the record to write with the effect. */
  readonly context: QueryRuntimeContext;
}

/** An operation with what it does. */
export interface Implemented {
  readonly operation: Operation;
  readonly run: (call: OperationCall<unknown>) => Promise<unknown>;
  readonly csv?: CsvForm | undefined;
}

/** The form in which REST answers a request for CSV. */
export interface CsvForm<Input = unknown> {
  /** The file's name, without its ending. */
  readonly file: string;
  /** In the API reference. */
  readonly example: string;
  readonly text: (call: OperationCall<Input>) => Promise<string>;
}

/**
 * Binds an operation to the service that does it. Under an approval it acts on the ids that persons have approved, and
 * not on what the names in its parameters stand for now. The result is the payload, in the words of REST.
 */
export function implement<Op extends Operation>(
  operation: Op,
  run: (call: OperationCall<InputOf<Op>>) => Promise<OutputOf<Op>>,
  csv?: CsvForm<InputOf<Op>>,
): Implemented {
  // A wire validates the input with the operation's own schema before it calls.
  const runInput = run as Implemented["run"];
  return {
    operation,
    run: ({ input, context }) => {
      const ids = withApprovedIds(input as object, operation.resolves, context.resolved);
      return runInput({ input: ids, context });
    },
    csv: csv as CsvForm | undefined,
  };
}
