/**
 * Configuration: the settings of a start, read once from flags, environment and defaults.
 *
 * Glossary. **Setting**: one configurable value. **Origin**: the source of a setting's value.
 * **Problem**: an error in a setting, which stops the start. **Config**: all settings, typed and
 * frozen.
 */
export type { Config, DataSourceConfig, ToolConfig, ToolsConfig } from "./config.js";
export { DATA_DIRECTORY, inDataDirectory } from "./data-dir.js";
export { assertDatabaseUrls, maskDatabaseUrl, sqliteFile } from "./database-url.js";
export { processEnvironment, type Environment } from "./env.js";
export { loadConfig, readConfig, type ConfigReading } from "./load-config.js";
export {
  readSetting,
  type SettingProblem,
  type SettingReport,
  type SettingSources,
} from "./read-settings.js";
export type { Setting } from "./setting.js";
export { ALL_SETTINGS, SERVER_URL_SETTING, SETTINGS } from "./settings.js";
