import type { FunctionName, StatementClass } from "../../governance/index.js";
import { assert } from "@steward/kernel/assert.js";
import { GrammarAnalyzer, type Judgement } from "./grammar-analyzer.js";
import { rejected } from "./one-statement.js";
import { isReadableSystemTable, isSystemTable } from "./postgres-catalogs.js";
import { judgeFunction, judgeSelection, nearestFunction } from "./postgres-functions.js";
import type { TreeNode } from "./postgres-grammar.js";
import { schemaChangeOf } from "./postgres-objects.js";
import { isBuiltInOperator } from "./postgres-operators.js";
import { judgeStatement, spokenName, TEMPORARY, type RowChange } from "./postgres-statements.js";
import { PostgresSyntax } from "./postgres-syntax.js";
import { adviceOf } from "./repair/foreign-form.js";
import { insteadOfFunction } from "./repair/postgres-forms.js";
import { postgresValues } from "./shape/postgres-values.js";
import type { NamedTable, TreeContents } from "./postgres-tree.js";

/** Analyzes statements with PostgreSQL 18's own grammar; supports no other dialect. */
export class PostgresAnalyzer extends GrammarAnalyzer<TreeNode> {
  private constructor(syntax: PostgresSyntax) {
    super("postgres", syntax, (statement) => judge(syntax.contents(statement)), postgresValues);
  }

  static async load(): Promise<PostgresAnalyzer> {
    return new PostgresAnalyzer(await PostgresSyntax.load());
  }
}

/** A lower bound for the class of the whole statement, with the reason. */
interface Claim {
  readonly statementClass: StatementClass;
  readonly because?: string;
  /** Says that PostgreSQL has no such function; see {@link StatementAnalysis}. */
  readonly unknownFunction?: string;
}

/** Statement classes by severity, least severe first. */
const CLASSES: readonly StatementClass[] = [
  "read_select",
  "write_insert",
  "write_update",
  "write_delete",
  "admin",
];

/**
 * The class of a statement is the most severe class of all its parts: a DELETE within a WITH makes
 * a SELECT a `write_delete`, and so does a call of a function that only `write_delete` may call.
 * When parts change rows in different ways, no single kind of write covers them.
 */
function judge(contents: TreeContents): Judgement {
  const claims: Claim[] = [];
  const changes = new Set<RowChange>();
  const milder: RowChange[] = [];
  for (const [index, { type, node }] of contents.statements.entries()) {
    const verdict = judgeStatement(type, node);
    if (verdict.kind === "forbidden") return rejected("forbidden", verdict.message);
    for (const change of verdict.changes ?? []) changes.add(change);
    milder.push(...(verdict.milder ?? []));
    claims.push(index === 0 ? verdict : { because: `it holds ${named(type)}`, ...verdict });
  }
  for (const name of contents.functions) {
    const verdict = judgeFunction(name);
    const spoken = name.join(".");
    if (verdict.kind === "forbidden") {
      return rejected("forbidden", `The function ${spoken} is not allowed`);
    }
    const { statementClass } = verdict;
    const isUnknown = name.length === 1 && statementClass === "admin";
    claims.push({
      statementClass,
      because: `it calls the function ${spoken}`,
      ...(isUnknown && { unknownFunction: adviceOnFunction(spoken) }),
    });
  }
  for (const { name, from } of contents.selections) {
    const verdict = from === "value" ? judgeSelection(name) : undefined;
    if (verdict?.kind === "forbidden") {
      return rejected("forbidden", `The function ${name} is not allowed, nor to select its name`);
    }
    if (verdict !== undefined)
      claims.push({ ...verdict, because: `it calls the function ${name}` });
  }
  for (const name of contents.operators) {
    if (name.length === 1 || isBuiltInOperator(name)) continue;
    const because = `it calls the function of the operator ${name.join(".")}`;
    claims.push({ statementClass: "admin", because });
  }
  const denial = tableDenial(contents.tables);
  if (denial !== undefined) return rejected("forbidden", denial);
  const worst = gravest(claims);
  const { statementClass, because, unknownFunction } =
    worst.statementClass === "admin" ? worst : (mixed(changes) ?? worst);
  const functionNames = functionNamesOf(contents);
  return {
    kind: "statement",
    statementClass,
    changes: [...changes, ...milder],
    isReturning: returnsRows(contents),
    ...(contents.statements[0]?.type === "ExplainStmt" && { isExplain: true }),
    ...schemaChangeOf(contents),
    ...(because === undefined ? {} : { because }),
    ...(unknownFunction === undefined ? {} : { unknownFunction }),
    ...(functionNames.length === 0 ? {} : { functionNames }),
  };
}

/** Whether the outermost statement, or the one that an EXPLAIN explains, returns rows. */
function returnsRows({ statements }: TreeContents): boolean {
  const outer = statements.find(({ type }) => type !== "ExplainStmt");
  if (outer === undefined) return false;
  const { returningList, returningClause } = outer.node;
  return (
    outer.type === "SelectStmt" || returningList !== undefined || returningClause !== undefined
  );
}

function named(type: string): string {
  const name = spokenName(type);
  return `${/^[AEIOU]/.test(name) ? "an" : "a"} ${name}`;
}

/**
 * Function names that the text alone does not decide, because the database may define functions of
 * these names.
 */
function functionNamesOf({
  functions,
  operators,
  selections,
}: TreeContents): readonly FunctionName[] {
  const called = new Set(functions.flatMap((name) => (name.length === 1 ? name : [])));
  const unknown = new Set(
    operators.flatMap((name) => (name.length > 1 || isBuiltInOperator(name) ? [] : name)),
  );
  return [
    ...[...called].map((name) => ({
      name,
      form: "call" as const,
      builtInClass: builtInClass(name),
    })),
    ...[...unknown].map((name) => ({
      name,
      form: "operator" as const,
      builtInClass: "read_select" as const,
    })),
    ...selections.map(({ name, from, ...tables }) => ({
      name,
      form: from,
      ...tables,
      builtInClass: builtInClass(name),
    })),
  ];
}

function builtInClass(name: string): FunctionName["builtInClass"] {
  const verdict = judgeFunction([name]);
  return verdict.kind === "forbidden" ? "forbidden" : verdict.statementClass;
}

/**
 * The claim of a statement whose parts change rows in different ways; `undefined` when they do not.
 * Row locks and functions are left out, because a DELETE may lock the rows that it deletes.
 */
function mixed(changes: ReadonlySet<RowChange>): Claim | undefined {
  if (changes.size < 2) return undefined;
  const kinds = [...changes].map((change) => change.replace("write_", "")).sort();
  return {
    statementClass: "cross_system_transaction",
    because: `its parts ${kinds.join(" and ")} rows, and each could be a step of its own`,
  };
}

/**
 * The first claim of the most severe class. The statement's own claim precedes those of its
 * functions.
 */
function gravest(claims: readonly Claim[]): Claim {
  const [first, ...others] = claims;
  assert(first !== undefined, "a tree holds a statement");
  return others.reduce(
    (worst, claim) =>
      CLASSES.indexOf(claim.statementClass) > CLASSES.indexOf(worst.statementClass) ? claim : worst,
    first,
  );
}

function tableDenial(tables: readonly NamedTable[]): string | undefined {
  for (const { name, isTarget, isTemporary } of tables) {
    if (isTemporary) return TEMPORARY;
    if (!isSystemTable(name)) continue;
    const spoken = name.join(".");
    if (isTarget) return `The system table ${spoken} cannot be changed`;
    if (isReadableSystemTable(name)) continue;
    const hint = name.length === 1 ? "; a table of your own must be named with its schema" : "";
    return `The system table ${spoken} is not allowed${hint}`;
  }
  return undefined;
}

/** Says that PostgreSQL has no function of this name, with a replacement if one is known. */
function adviceOnFunction(name: string): string {
  const instead = insteadOfFunction(name);
  if (instead !== undefined) return adviceOf(`function ${name}`, instead, "postgres");
  const nearest = nearestFunction(name);
  const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `PostgreSQL has no function ${name}${meant}`;
}
