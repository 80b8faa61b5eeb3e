/**
 * Configuration: the settings of a start, read once from flags, environment and defaults.
 *
 * Glossary. **Setting**: one configurable value. **Origin**: the source of a setting's value.
 * **Problem**: an error in a setting, which stops the start. **Config**: all settings, typed and
 * frozen.
 */
export type { Config, DataSourceConfig, ToolConfig, ToolsConfig } from "./config.js";
export { clonesDirectory, mcpGrantsFile, nodeFile, stateDirectory } from "./data-dir.js";
export { maskDatabaseUrl, sqliteFile } from "./database-url.js";
export { processEnvironment, type Environment } from "./env.js";
export { loadConfig, readConfig, type ConfigReading } from "./load-config.js";
export {
  readSetting,
  type SettingProblem,
  type SettingReport,
  type SettingSources,
} from "./read-settings.js";
export { SERVER_URL_SETTING, SETTINGS, type Setting } from "./settings.js";
