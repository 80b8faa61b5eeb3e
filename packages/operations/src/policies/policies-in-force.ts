import * as z from "zod";

export const EXAMPLE_TEXT = `@id("no-salaries")
@reason("Salaries are for people")
forbid (principal is Steward::Agent, action, resource == Steward::Table::"shop/salaries");`;

export const text = z.string().describe("Policies in Cedar");
export const version = z.int().min(0);
