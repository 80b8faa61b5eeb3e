import type { ProcessScenario } from "../scenario.js";
import { embedding } from "./embedding.js";
import { fairShares } from "./fair-shares.js";
import { identity } from "./identity.js";
import { killedMigrations } from "./killed-migrations.js";
import { mcpTools } from "./mcp-tools.js";
import { memory } from "./memory.js";
import { migrations } from "./migrations.js";
import { payments } from "./payments.js";
import { recording } from "./recording.js";
import { starting } from "./starting.js";
import { surviving } from "./surviving.js";
import { tools } from "./tools.js";

/** All scenarios that start their own servers. */
export const processScenarios: readonly ProcessScenario[] = [
  ...starting,
  ...identity,
  ...tools,
  ...mcpTools,
  ...fairShares,
  ...surviving,
  ...recording,
  ...payments,
  ...embedding,
  ...memory,
  ...migrations,
  ...killedMigrations,
];
