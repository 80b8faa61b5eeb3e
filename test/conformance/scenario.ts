import type { Client, StepInput, Wire } from "./client.js";
import type { RequirementId } from "./requirements.js";
import type { Steward } from "./steward.js";

/** Where the server under test keeps its own tables, and what its data source is. */
export type Engine = "SQLite" | "PostgreSQL";

/** What a scenario acts on: a running server, and a client of an organization of its own. */
export interface World {
  readonly steward: Steward;
  readonly client: Client;
}

/** Something that must be true of a server, and the requirements it shows. */
export interface Scenario {
  readonly cites: readonly RequirementId[];
  /** A sentence. */
  readonly title: string;
  /** The wires it is run over. */
  readonly over: readonly Wire[];
  /** The only engine of the data source whose SQL it speaks; left out: it speaks what each does. */
  readonly source?: Engine;
  readonly run: (world: World) => Promise<void>;
}

/** What is true of how a server starts, stops and is set up: it starts its own. */
export interface ProcessScenario {
  readonly cites: readonly RequirementId[];
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** True over both wires. */
export function scenario(
  cites: readonly RequirementId[],
  title: string,
  run: Scenario["run"],
): Scenario {
  return { cites, title, over: ["grpc", "rest"], run };
}

/** True over both wires, and told in the SQL of one engine of data sources. */
export function scenarioIn(
  source: Engine,
  cites: readonly RequirementId[],
  title: string,
  run: Scenario["run"],
): Scenario {
  return { ...scenario(cites, title, run), source };
}

/** About one wire only. */
export function scenarioOver(
  wire: Wire,
  cites: readonly RequirementId[],
  title: string,
  run: Scenario["run"],
): Scenario {
  return { cites, title, over: [wire], run };
}

/** A step that runs SQL. */
export function step(id: string, sql: string, more: Partial<StepInput> = {}): StepInput {
  return { id, name: id, tool_name: "sql", query_template: sql, depends_on: [], ...more };
}

/** An expression that is a text of 100 000 characters. */
export const LONG_TEXT =
  "replace(replace(replace(replace('aaaaaaaaaa', 'a', 'bbbbbbbbbb'), 'b', 'cccccccccc'), 'c', 'dddddddddd'), 'd', 'eeeeeeeeee')";

/** A read that takes until it is stopped. */
export const ENDLESS =
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS n FROM c";

/** A read that takes a while. */
export const SLOW =
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500000) SELECT count(*) AS n FROM c";
