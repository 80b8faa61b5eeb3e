import { conformOver } from "./over-wire.js";

// Each protocol, each engine of the store and each engine of the data source runs every scenario
// once: REST on SQLite, gRPC on PostgreSQL. The long run has the other combinations.
conformOver("rest", "SQLite");
conformOver("rest", "PostgreSQL", { onlyThisWire: true });
conformOver("rest", "PostgreSQL", { source: "PostgreSQL", onlyThisWire: true });
