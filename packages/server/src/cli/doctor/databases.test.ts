import { freshDatabase } from "@steward/test-postgres";
import { expect, it } from "vitest";
import { reasonOf } from "./check.js";
import { checkDataSources } from "./databases.js";

it("warns of a data source whose role is a superuser, and says which role to make", async () => {
  await using database = await freshDatabase();
  const [check] = await checkDataSources([{ name: "shop", url: database.url }]);
  expect(check).toMatchObject({
    name: "data source shop",
    status: "warn",
    found: expect.stringContaining("is a superuser") as string,
    fix: expect.stringContaining("CREATE ROLE") as string,
  });
});

it("says in plain words that a server does not answer", () => {
  expect(reasonOf(new Error("timeout expired"))).toBe("it accepts connections but does not answer");
  expect(reasonOf(new Error("password authentication failed"))).toContain("password");
});
