// Draws IDs as the lines on its input say, for FirstPartyClientsTest: `next` draws one, `draw N`
// draws in N tasks until `stop`.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { FirnClient, IdsUnavailableError } from "../index.js";

const settings = Object.fromEntries(
  process.argv.slice(2).map((argument) => argument.split(/=(.*)/s, 2)),
);
const client = new FirnClient({
  servers: settings.servers.split(","),
  namespace: settings.namespace,
  token: settings.token,
  batch: Number(settings.batch ?? 1000),
  timeout: Number(settings.timeout ?? 1000),
  maxWait: Number(settings.wait ?? 5000),
  maxAge: Number(settings.age ?? 10000),
});
let stopped = false;
let longest = 0;
let calls = 0;
let tasks = [];

async function drawOne() {
  try {
    return String(await client.nextId());
  } catch (e) {
    if (e instanceof IdsUnavailableError) return `failed: ${e.message}`;
    throw e;
  }
}

async function draw() {
  while (!stopped) {
    const begin = performance.now();
    const drawn = await drawOne();
    longest = Math.max(longest, performance.now() - begin);
    calls++;
    console.log(drawn);
    await sleep(1);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command, count] = line.split(" ");
  if (command === "next") {
    console.log(await drawOne());
  } else if (command === "draw") {
    tasks = Array.from({ length: Number(count) }, draw);
  } else if (command === "stop") {
    stopped = true;
    await Promise.all(tasks);
    console.log(`longest call ${longest.toFixed(1)} ms of ${calls}`);
  }
}
client.close();
