import { conformOver } from "./over-wire.js";

conformOver("rest", "SQLite");
conformOver("rest", "PostgreSQL");
conformOver("rest", "PostgreSQL", "PostgreSQL");
