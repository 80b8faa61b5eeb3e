import { conformOver } from "./over-wire.js";

// Scenarios of both protocols run over REST on SQLite: see over-rest.test.ts.
conformOver("grpc", "SQLite", { onlyThisWire: true });
conformOver("grpc", "PostgreSQL");
conformOver("grpc", "PostgreSQL", { source: "PostgreSQL" });
