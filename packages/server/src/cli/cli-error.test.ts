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

  it("proposes another role or key only where one helps", () => {
    const fixOf = (message: string) => toCliError(new AppError("POLICY_DENIED", message)).fix;
    expect(fixOf("usage:read needs the role admin")).toContain("an API key");
    expect(fixOf("The data source crm is closed: have SERVICE_ORGANIZATION set")).toBeUndefined();
    expect(fixOf("have the operator set SERVICE_MIGRATION_URLS")).toBeUndefined();
  });

  it("names the option that accepts a loss only where rows would be lost", () => {
    const loss = "Data would be lost (column a): to accept the loss, set accept_data_loss";
    expect(toCliError(new AppError("APPROVAL_REQUIRED", loss)).fix).toContain("--accept-data-loss");
    const policy = toCliError(new AppError("APPROVAL_REQUIRED", "The step waits for an approval"));
    expect(policy.fix).toContain("steward approvals list");
    expect(policy.fix).not.toContain("--accept-data-loss");
  });

  it("is the advice to wait only for a store that may be back", () => {
    const back = new AppError("STORE_UNAVAILABLE", "not reached", { retryAfterMs: 1000 });
    expect(toCliError(back).fix).toContain("try again");
    const refused = new AppError("STORE_UNAVAILABLE", "refused: correct the URL");
    expect(toCliError(refused).fix).toBeUndefined();
  });
});
