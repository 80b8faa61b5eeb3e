import type { Client, StepInput, Wire } from "./client.js";
import type { RequirementId } from "./requirements.js";
import type { Steward } from "./steward.js";

/** The engines of the service's own store and of its data source. */
export type Engine = "SQLite" | "PostgreSQL";

/** The surroundings of a scenario: a running server, and a client of a new organization. */
export interface World {
  readonly steward: Steward;
  readonly client: Client;
}

/** A behaviour of a server, with the requirements it shows. */
export interface Scenario {
  readonly cites: readonly RequirementId[];
  /** A sentence. */
  readonly title: string;
  /** The protocols it is run over. */
  readonly over: readonly Wire[];
  /** The only engine of the data source that it supports; absent: every engine. */
  readonly source?: Engine;
  /** Whether `npm test` runs it on one engine of the store only; the long run uses each engine. */
  readonly isIndependentOfStore?: boolean;
  readonly run: (world: World) => Promise<void>;
}

/** A behaviour of starting, stopping and configuring a server; the scenario starts its own. */
export interface ProcessScenario {
  readonly cites: readonly RequirementId[];
  readonly title: string;
  readonly run: () => Promise<void>;
}

/** A scenario for both protocols. */
export function scenario(
  cites: readonly RequirementId[],
  title: string,
  run: Scenario["run"],
): Scenario {
  return { cites, title, over: ["grpc", "rest"], run };
}

/** A scenario for both protocols, with the SQL of one engine. */
export function scenarioIn(
  source: Engine,
  cites: readonly RequirementId[],
  title: string,
  run: Scenario["run"],
): Scenario {
  return { ...scenario(cites, title, run), source };
}

/** A scenario for one protocol. */
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

/** A read that runs until it is stopped. */
export const ENDLESS =
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) AS n FROM c";

/** A slow read. */
export const SLOW =
  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500000) SELECT count(*) AS n FROM c";
