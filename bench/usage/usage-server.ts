import { openApp } from "@steward/server";
import type { UsageRecording } from "../../packages/server/src/usage/ports.js";
import { openSqliteStore, silentTelemetry, systemClock, UsageGate } from "./server-modules.js";

/**
 * A server in its own process. `without` switches off recording and the check before each call, to
 * measure their cost.
 *
 * node usage-server.js DIRECTORY with|without
 */
const [directory = "", mode] = process.argv.slice(2);
const databaseUrl = `sqlite:${directory}/${String(mode)}.db`;
if (mode === "without") await leaveUsageOut();
const app = await openApp({
  port: 0,
  logLevel: "silent",
  databaseUrl,
  // All requests come from one organization.
  quotas: { requestsPerSecond: 1_000_000, stepsMax: 1000, streamsMax: 1000 },
  dataSources: [{ name: "default", url: `sqlite:${directory}/target.db` }],
});
process.send?.({ port: app.address.grpcPort });
process.once("disconnect", () => void app[Symbol.asyncDispose]().then(() => process.exit()));

async function leaveUsageOut(): Promise<void> {
  await using store = openSqliteStore(`${directory}/shape.db`, systemClock, silentTelemetry);
  const prototype = Object.getPrototypeOf(store.usage.recording) as UsageRecording;
  prototype.recordPending = () => Promise.resolve([]);
  UsageGate.prototype.admit = () => Promise.resolve([]);
}
