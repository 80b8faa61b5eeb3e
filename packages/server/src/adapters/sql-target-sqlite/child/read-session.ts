import type { StatementResult } from "../../../plans/ports.js";
import type { RowsResult } from "../../sql-target/result-rows.js";
import type { AdmittedStatement, StatementDescription } from "../protocol.js";
import type { AgentConnection } from "./agent-connection.js";
import { isLeftJournal } from "./failure.js";

/** How long a read waits until the writer has rolled back a hot journal, in ms. */
const RECOVERY_WAIT_MS = 1000;
/** Interval at which the read is tried again meanwhile, in ms. */
const RECOVERY_POLL_MS = 20;

/** Runs reads on a read-only connection. */
export class ReadSession {
  readonly #agent: AgentConnection;

  constructor(agent: AgentConnection) {
    this.#agent = agent;
  }

  /** @throws StatementError */
  read(statement: AdmittedStatement): StatementResult {
    const run = (): RowsResult => {
      this.#agent.requireSchema(statement);
      return this.#agent.run(statement);
    };
    const isDescribed = statement.schemaVersion !== undefined;
    // Nothing changes within the snapshot that a read sees. One statement alone is a snapshot too.
    const read = isDescribed
      ? () => this.#agent.runAgain(statement) ?? this.#agent.inSnapshot(run)
      : run;
    return { schemaDeltas: [], ...recovering(read) };
  }

  /** @throws StatementError */
  describe(statement: AdmittedStatement): StatementDescription {
    return recovering(() => this.#agent.inSnapshot(() => this.#agent.describe(statement)));
  }
}

/**
 * Repeats work that finds the hot journal of a crashed process, until the writer has rolled it
 * back.
 */
function recovering<Result>(work: () => Result): Result {
  const giveUpAt = performance.now() + RECOVERY_WAIT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLeftJournal(error) || performance.now() > giveUpAt) throw error;
      sleepSync(RECOVERY_POLL_MS);
    }
  }
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
