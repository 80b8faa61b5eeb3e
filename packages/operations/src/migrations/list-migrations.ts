import * as z from "zod";
import { operation } from "../operation.js";
import { migration } from "./migration.js";

export const listMigrations = operation({
  name: "listMigrations",
  action: "migrations:read",
  summary: "List the migrations, the newest first",
  description: "All migrations of your organization, in every status.",
  tag: "State",
  input: z.strictObject({}),
  output: z.array(migration).readonly(),
  errors: [403],
  rest: { method: "GET", path: "/api/state/migrations", answered: "The migrations" },
});
