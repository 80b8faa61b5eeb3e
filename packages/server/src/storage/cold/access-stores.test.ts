import { apiKeyBattery } from "../testing/api-key-battery.js";
import { browserSessionBattery } from "../testing/browser-session-battery.js";
import { onEachEngine } from "../testing/on-each-engine.js";
import { policyBattery } from "../testing/policy-battery.js";

onEachEngine(apiKeyBattery);
onEachEngine(browserSessionBattery);
onEachEngine(policyBattery);
