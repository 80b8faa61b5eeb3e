import { conformOver } from "./over-wire.js";

// Each wire, each engine of the store and each of the data source has every scenario once: REST on SQLite, gRPC on
// PostgreSQL. The long run has the other combinations.
conformOver("rest", "SQLite");
conformOver("rest", "PostgreSQL", { onlyThisWire: true });
conformOver("rest", "PostgreSQL", { source: "PostgreSQL", onlyThisWire: true });
