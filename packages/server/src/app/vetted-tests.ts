import { isDeepStrictEqual } from "node:util";
import { anonymousCaller, type Caller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { type Ids, systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import type { Config } from "../config/index.js";
import { isReadIntent, type ToolTest, type VettedStatement } from "../governance/index.js";
import { DisposalStack } from "../kernel/disposal.js";
import {
  argumentsTemplate,
  type SqlTarget,
  StatementError,
  vettedStatement,
} from "../plans/ports.js";
import { bindOutputs } from "../plans/index.js";
import { openDataSources } from "./rooms/data-sources.js";

/** What a test of a tool has shown. */
export interface TestedTool {
  readonly tool: string;
  /** Position among the tool's tests, from 1; 0: it has none. */
  readonly test: number;
  readonly passed: boolean;
  /** What differs from what was expected; empty when nothing does. */
  readonly problem: string;
}

/**
 * Runs the tests of vetted statements on the configured data sources. Reads run as `read_select`, in
 * which the database changes nothing; writes run as previews, which are always rolled back. Policies
 * are not asked: a test is the operator's.
 */
export async function testTools(
  config: Config,
  signal: AbortSignal,
): Promise<readonly TestedTool[]> {
  await using opened = new DisposalStack();
  const { targets } = await openDataSources(config, silentLog, opened);
  const ids = systemIds(systemClock);
  const results: TestedTool[] = [];
  for (const { name: tool, dataSource, vetted } of config.tools.tools) {
    const target = targets.get(dataSource);
    if (vetted === undefined || target === undefined) continue;
    if (vetted.tests.length === 0) {
      results.push({ tool, test: 0, passed: true, problem: "has no tests" });
    }
    const asked = { vetted, target, signal, ids, caller: callerOf(config, dataSource, vetted) };
    for (const [index, test] of vetted.tests.entries()) {
      const problem = await problemOf(test, asked, config);
      results.push({ tool, test: index + 1, passed: problem === "", problem });
    }
  }
  return results;
}

interface Asked {
  readonly vetted: VettedStatement;
  readonly target: SqlTarget;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly ids: Ids;
}

async function problemOf(
  test: ToolTest,
  { vetted, target, caller, signal, ids }: Asked,
  { stepWaitMs: waitMs, stepTimeoutMs: timeoutMs }: Config,
): Promise<string> {
  const compile = vettedStatement(vetted, target.dialect);
  const statement = compile(argumentsTemplate(test.arguments));
  const { intent } = vetted;
  const request = {
    ...{ sql: statement.sql, intent, caller, waitMs, timeoutMs },
    binds: bindOutputs(statement, new Map(), target.dialect),
  };
  const attempt = { orgId: caller.orgId, planId: ids.uuid(), stepId: "test", attempt: 1 };
  try {
    if (!isReadIntent(intent)) {
      const { rowsChanged } = await target.preview({ ...request, tables: [] }, signal);
      return test.rows === undefined
        ? countProblem(test, rowsChanged)
        : "rows are those of a read; a write has row_count";
    }
    const run = { ...request, schemaTableHints: [], attempt };
    const { outputJson, rowCount } = await target.run(run, signal);
    // A target returns an array of row objects.
    const rows = JSON.parse(outputJson) as ToolTest["rows"];
    if (test.rows !== undefined && !isDeepStrictEqual(rows, test.rows)) {
      return `returned ${JSON.stringify(rows).slice(0, SHOWN_LENGTH_MAX)}`;
    }
    return countProblem(test, rowCount);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    return error.message;
  }
}

/** Characters of the returned rows that a problem shows. */
const SHOWN_LENGTH_MAX = 500;

function countProblem({ rowCount: expected }: ToolTest, rowCount: number): string {
  if (expected === undefined || expected === rowCount) return "";
  return `has ${String(rowCount)} rows instead of ${String(expected)}`;
}

/** A caller of the first organization that may call the tool. */
function callerOf(config: Config, dataSource: string, vetted: VettedStatement): Caller {
  const source = config.dataSources.find(({ name }) => name === dataSource);
  const [ofSource] = source?.organizations ?? [];
  return anonymousCaller(vetted.organizations?.[0] ?? ofSource?.orgId ?? config.organization);
}
