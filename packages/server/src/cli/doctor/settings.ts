import type { ConfigReading } from "../../config/index.js";
import { fail, ok, warn } from "./check.js";
import type { Check } from "./check.js";

/** Reports errors and likely mistakes in the settings. */
export function checkSettings({ settings, problems, warnings }: ConfigReading): readonly Check[] {
  const found = [
    ...problems.map(({ setting, reason, fix }) => fail("settings", `${setting}: ${reason}`, fix)),
    ...warnings.map((warning) => warn("settings", warning, "rename or remove it")),
  ];
  if (found.length > 0) return found;
  const given = settings.filter(({ origin }) => origin === "flag" || origin === "environment");
  return [ok("settings", `${String(given.length)} set, all of them valid`)];
}
