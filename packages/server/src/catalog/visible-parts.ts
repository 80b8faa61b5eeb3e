import type { StatementPolicy, TouchedData } from "../governance/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import type { CatalogTable } from "./catalog-table.js";

/** Which of a table's columns a caller may read; undefined when the caller may not read the table. */
export type VisibleColumns = ReadonlySet<string> | undefined;

/**
 * Asks the policies what a caller may read. A table or column is visible when a SELECT of it alone
 * would be permitted.
 */
export class VisibleParts {
  readonly #policy: StatementPolicy;
  /** Questions of each table, kept because the policies remember their answers by the object. */
  readonly #questions = new WeakMap<CatalogTable, TableQuestions>();

  constructor(policy: StatementPolicy) {
    this.#policy = policy;
  }

  /** Whether policies depend on tables and columns for this caller; if not, all are visible. */
  async dependOnData(caller: Caller): Promise<boolean> {
    return this.#policy.looksAtData(caller);
  }

  /** The columns of a table that a caller may read, by name. */
  async of(caller: Caller, dataSource: string, table: CatalogTable): Promise<VisibleColumns> {
    const names = table.columns.map(({ name }) => name);
    const may = (touched?: TouchedData): Promise<boolean> =>
      this.#permits(caller, dataSource, touched);
    if (!(await this.dependOnData(caller))) return (await may()) ? new Set(names) : undefined;
    const questions = this.#questionsOf(table);
    if (await may(questions.whole)) return new Set(names);
    if (!(await may(questions.tableAlone))) return undefined;
    const visible = new Set<string>();
    for (const [name, question] of questions.columns) if (await may(question)) visible.add(name);
    return visible.size === 0 ? undefined : visible;
  }

  #questionsOf(table: CatalogTable): TableQuestions {
    const questions = this.#questions.get(table) ?? questionsOf(table);
    this.#questions.set(table, questions);
    return questions;
  }

  async #permits(
    caller: Caller,
    dataSource: string,
    touched: TouchedData | undefined,
  ): Promise<boolean> {
    try {
      const reading = { dataSource, intent: "read_select" } as const;
      await this.#policy.permit(caller, { ...reading, ...(touched && { touched }) });
      return true;
    } catch (error) {
      const isRefusal = error instanceof AppError && REFUSALS.has(error.code);
      if (!isRefusal) throw error;
      return false;
    }
  }
}

const REFUSALS: ReadonlySet<string> = new Set(["POLICY_DENIED", "APPROVAL_REQUIRED"]);

/** A table as a whole, without its columns, and each column alone. */
interface TableQuestions {
  readonly whole: TouchedData;
  readonly tableAlone: TouchedData;
  readonly columns: ReadonlyMap<string, TouchedData>;
}

function questionsOf({ policyName, policySchema, columns }: CatalogTable): TableQuestions {
  const names = columns.map(({ name }) => name.toLowerCase());
  const reading = (read: readonly string[]): TouchedData => ({
    tables: [{ name: policyName, schema: policySchema, accesses: { read }, columns: names }],
    functions: [],
  });
  return {
    whole: reading(names),
    tableAlone: reading([]),
    columns: new Map(columns.map(({ name }) => [name, reading([name.toLowerCase()])])),
  };
}
