import { conformOver } from "../conformance/over-wire.js";

conformOver("rest", "PostgreSQL");
conformOver("grpc", "PostgreSQL");
