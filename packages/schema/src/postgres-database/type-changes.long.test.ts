import { freshDatabase } from "@steward/test-postgres";
import { expect, it } from "vitest";
import { OWN_TYPES, retype } from "./testing/retyped-column.js";
import { expectSameMeaning, VALUES_OF_TYPES } from "./testing/retypings.js";
import { connect } from "./testing/transition.js";

it(
  "no value changes unasked between any two types, in any time zone",
  { timeout: 1_800_000 },
  async () => {
    await using database = await freshDatabase();
    const client = await connect(database.url);
    await client.query(OWN_TYPES);
    let count = 0;
    for (const [from, values] of Object.entries(VALUES_OF_TYPES)) {
      for (const to of Object.keys(VALUES_OF_TYPES).filter((type) => type !== from)) {
        for (const [index, value] of values.entries()) {
          const timeZone = index % 2 === 0 ? "UTC" : "America/St_Johns";
          expectSameMeaning(await retype(client, from, to, [value], { timeZone }), from, to);
          count += 1;
        }
      }
    }
    await client.end();
    expect(count).toBeGreaterThan(9000);
  },
);
