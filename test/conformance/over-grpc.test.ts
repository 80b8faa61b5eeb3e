import { conformOver } from "./over-wire.js";

// What runs over both wires is run over REST on SQLite: see over-rest.test.ts.
conformOver("grpc", "SQLite", { onlyThisWire: true });
conformOver("grpc", "PostgreSQL");
conformOver("grpc", "PostgreSQL", { source: "PostgreSQL" });
