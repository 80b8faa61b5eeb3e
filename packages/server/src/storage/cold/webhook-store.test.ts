import { onEachEngine } from "../testing/on-each-engine.js";
import { webhookBattery } from "../testing/webhook-battery.js";

onEachEngine(webhookBattery);
