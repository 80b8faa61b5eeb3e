import { conformOver } from "./over-wire.js";

conformOver("grpc", "SQLite");
conformOver("grpc", "PostgreSQL");
conformOver("grpc", "PostgreSQL", "PostgreSQL");
