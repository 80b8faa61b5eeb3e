import { roleReport, type RoleProblem } from "../../adapters/role-rights.js";
import { checkClock } from "./clock.js";
import type { Place } from "./data-sources.js";
import { databaseFailure } from "./database-failure.js";
import { fail, ok, warn } from "./finding.js";
import type { Finding } from "./finding.js";

/** Checks a database on PostgreSQL, and the role of its URL. */
export async function checkServer({
  name,
  url,
  setting,
  roles,
  isForSteps,
}: Place): Promise<readonly Finding[]> {
  try {
    let problems: readonly RoleProblem[] = [];
    const clock = await checkClock(name, async () => {
      const report = await roleReport(url, roles);
      problems = report.problems;
      return [{ now_ms: report.nowMs }];
    });
    const differs = clock.filter(({ status }) => status !== "ok");
    // The role of migrations needs rights that steps must not have.
    if (!isForSteps || problems.length === 0) return [ok(name, "answers"), ...differs];
    return [...problems.map(({ found, fix }) => warn(name, found, fix)), ...differs];
  } catch (error) {
    const { found, fix } = databaseFailure(error, url, setting);
    return [fail(name, found, fix)];
  }
}
