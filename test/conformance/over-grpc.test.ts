import { conformOver } from "./over-wire.js";

conformOver("grpc");
