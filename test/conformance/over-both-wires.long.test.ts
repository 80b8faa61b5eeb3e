import { conformOver } from "./over-wire.js";

// The combinations of a wire and an engine whose scenarios the short run leaves out.
conformOver("rest", "PostgreSQL");
conformOver("rest", "PostgreSQL", { source: "PostgreSQL" });
conformOver("grpc", "SQLite");
