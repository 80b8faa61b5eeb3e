import { targetName } from "../../audit-export/ports.js";
import type { Config, SettingReport } from "../../config/index.js";
import type { Store } from "../../storage/store.js";
import { SystemService, type ShownSetting } from "../../system/index.js";
import { version } from "../../version.js";

/** What operators see of the server. */
export function systemOf(
  { audit }: Pick<Config, "audit">,
  store: Store | undefined,
  settings: readonly SettingReport[] | undefined,
): SystemService {
  return new SystemService({
    ...{ server: version(), node: process.versions.node },
    store: store?.status,
    sinks: audit.exports.map(targetName),
    settings: settings?.map(shownSetting),
  });
}

function shownSetting({ setting, origin, shown }: SettingReport): ShownSetting {
  const { name, flag, help } = setting;
  return {
    ...{ name, source: origin, help },
    ...(flag === undefined ? {} : { flag }),
    ...(shown === undefined ? {} : { value: shown }),
  };
}
