import { conformOver } from "./over-wire.js";

// The combinations of protocol and engine that the short run leaves out.
conformOver("rest", "PostgreSQL");
conformOver("rest", "PostgreSQL", { source: "PostgreSQL" });
conformOver("grpc", "SQLite");
