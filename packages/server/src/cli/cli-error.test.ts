import { describe, expect, it } from "vitest";
import { AppError } from "@steward/kernel/errors.js";
import { toCliError } from "./cli-error.js";

describe("what the command line tells of an error", () => {
  it.each(["EROFS", "EACCES", "EPERM", "ENOSPC"])(
    "is the file and what to mend where the system refuses to write: %s",
    (code) => {
      const thrown = Object.assign(new Error(`${code}: mkdir`), { code, path: "/data/steward" });
      const error = toCliError(thrown);
      expect(error).toMatchObject({
        code,
        message: expect.stringMatching(/^\/data\/steward /) as string,
      });
      expect(error.fix).toContain("--data-dir");
      expect(error.fix).not.toContain("defect");
    },
  );

  it("is a defect only where nobody else is to blame", () => {
    expect(toCliError(new TypeError("x is not a function")).fix).toContain("defect");
  });

  it("is the advice to wait only for a store that may be back", () => {
    const back = new AppError("STORE_UNAVAILABLE", "not reached", { retryAfterMs: 1000 });
    expect(toCliError(back).fix).toContain("try again");
    const refused = new AppError("STORE_UNAVAILABLE", "refused: correct the URL");
    expect(toCliError(refused).fix).toBeUndefined();
  });
});
