import { intentCovers, type FunctionName, type Intent } from "../../governance/index.js";
import { StatementError } from "../../plans/ports.js";
import type { KnownStatement } from "../sql-target/admission.js";
import { quotedName } from "./quoted-name.js";
import type { Session } from "./session.js";

/** How long the database's answer about a statement's names is cached, in ms. */
const BELIEVED_MS = 10_000;

/** A name in a statement that is a function in this database. */
interface FoundFunction {
  readonly named: FunctionName;
  /** Whether the function is user-defined: neither built in nor from an extension. */
  readonly isOwn: boolean;
}

/** How a statement is checked. */
interface AskedCheck {
  readonly intent: Intent;
  /** The role that runs it; undefined for the login role. */
  readonly role: string | undefined;
}

interface Answer {
  readonly found: readonly FoundFunction[];
  readonly askedAtMs: number;
}

/**
 * Refuses statements that call a function which their intent does not cover. It checks calls that
 * the text does not reveal: operators, names that could also be a column, and names that shadow a
 * built-in function.
 */
export class FunctionCheck {
  /** Answers by statement object, which the analyzer caches, and by role: it decides what is visible. */
  readonly #answers = new WeakMap<KnownStatement, Map<string, Answer>>();

  /**
   * @param session in the statement's own transaction.
   * @throws StatementError `intent`.
   */
  async require(session: Session, statement: KnownStatement, asked: AskedCheck): Promise<void> {
    const { functionNames = [] } = statement;
    if (functionNames.length === 0) return;
    const { intent, role = "" } = asked;
    for (const { named, isOwn } of await this.#find(session, statement, role)) {
      const found = isOwn ? "admin" : named.builtInClass;
      // The statement's class already includes functions with weaker effects and explicit calls.
      if (found === "forbidden" || (found === "admin" && !intentCovers(intent, found))) {
        throw refusal(named, intent);
      }
    }
  }

  async #find(
    session: Session,
    statement: KnownStatement,
    role: string,
  ): Promise<readonly FoundFunction[]> {
    const answers = this.#answers.get(statement) ?? new Map<string, Answer>();
    this.#answers.set(statement, answers);
    const known = answers.get(role);
    const nowMs = performance.now();
    if (known !== undefined && nowMs - known.askedAtMs < BELIEVED_MS) return known.found;
    const found = await findFunctions(session, statement.functionNames ?? []);
    answers.set(role, { found, askedAtMs: nowMs });
    return found;
  }
}

/**
 * Finds functions and operators that are found without a schema and can be called in this form. A
 * function in attribute notation takes one argument; one applied to a row takes a composite type. A
 * name that is a column of all candidate tables is never a function call.
 */
const FIND = `
SELECT place, bool_or(schema <> 'pg_catalog'::regnamespace AND NOT EXISTS (
    SELECT FROM pg_depend d
    WHERE d.classid = object.classid AND d.objid = object.objid AND deptype = 'e')) AS is_own
FROM jsonb_to_recordset($1::jsonb) AS named (place int, name name, form text, tables text[]),
LATERAL (
  SELECT 'pg_proc'::regclass, p.oid, pronamespace
  FROM pg_proc p LEFT JOIN pg_type argument ON argument.oid = proargtypes[0]
  WHERE form <> 'operator' AND proname = name AND pg_function_is_visible(p.oid)
    AND (form = 'call' OR pronargs > 0 AND pronargs - pronargdefaults <= 1 AND
      (form = 'value' OR provariadic <> 0 OR argument.typtype IN ('c', 'd', 'p')))
  UNION ALL
  SELECT 'pg_operator'::regclass, oid, oprnamespace
  FROM pg_operator
  WHERE form = 'operator' AND oprname = name AND pg_operator_is_visible(oid)
) AS object (classid, objid, schema)
WHERE tables IS NULL OR EXISTS (SELECT FROM unnest(tables) source WHERE NOT EXISTS (
    SELECT FROM pg_attribute
    WHERE attrelid = to_regclass(source) AND attname = name AND NOT attisdropped))
GROUP BY place ORDER BY place`;

async function findFunctions(
  session: Session,
  functionNames: readonly FunctionName[],
): Promise<readonly FoundFunction[]> {
  const asked = functionNames.map(({ name, form, tables }, place) => ({
    place,
    name,
    form,
    tables: tables?.map(quotedName),
  }));
  const rows = await session.query(FIND, [JSON.stringify(asked)]);
  return rows.flatMap((row) => {
    const named = functionNames[Number(row["place"])];
    return named === undefined ? [] : [{ named, isOwn: row["is_own"] === "t" }];
  });
}

function refusal({ name, form }: FunctionName, intent: Intent): StatementError {
  const calls = {
    call: "calls the function",
    operator: "calls the function of the operator",
    row: "may call, through the notation value.name, the function",
    value: "may call, through the notation value.name, the function",
  }[form];
  return new StatementError(
    "intent",
    `The statement ${calls} ${name} of the data source, which the declared intent ${intent} does not cover`,
    { hints: [hintFor({ name, form })] },
  );
}

function hintFor({ name, form }: Pick<FunctionName, "name" | "form">): string {
  if (form === "operator") {
    return `${name} is an operator of this data source; a view can provide its results`;
  }
  return form === "call" ? builtInHint(name) : columnHint(name);
}

function builtInHint(name: string): string {
  return `${name} is also a function of this data source; PostgreSQL's own is pg_catalog.${name}, and a view can provide the results of the other one`;
}

function columnHint(name: string): string {
  return `${name} is a function of this data source; to select a column of that name, leave out the dot and what is before it, or give the column another name within the subquery`;
}
