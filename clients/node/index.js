/**
 * Draws 64-bit IDs of Firn servers, fetched ahead.
 *
 * Each batch of IDs comes from one server. While a server is down, the next one is asked; a call
 * waits only when no ID is in the buffer. The types and their documentation are in index.d.ts.
 */

const MIN_BACKOFF = 100;
const MAX_BACKOFF = 2_000;
const MAX_RETRY_AFTER = 60_000;

export class IdsUnavailableError extends Error {
  constructor(message, failures) {
    super(message);
    this.name = "IdsUnavailableError";
    this.failures = failures;
  }
}

/** An answer without IDs. */
class Failure extends Error {
  constructor(message, { refused = false, retryAfter = 0 } = {}) {
    super(message);
    this.refused = refused;
    this.retryAfter = retryAfter;
  }
}

/** A server, and how it answered last. */
class Server {
  failure;
  refused = false;
  failures = 0;
  retryAt = 0;

  constructor(address) {
    if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(address)) {
      throw new RangeError(
        `servers: ${address} (expected: http://HOST:PORT or https://HOST:PORT)`,
      );
    }
    new URL(address); // throws for what is no address
    this.address = address.replace(/\/+$/, "");
  }

  succeeded() {
    this.failure = undefined;
    this.refused = false;
    this.failures = 0;
  }

  /** Backs off from the server, twice as long each time, and at least as long as it asked for. */
  failed(error, now) {
    const backoff = Math.min(MIN_BACKOFF * 2 ** Math.min(this.failures, 10), MAX_BACKOFF);
    this.failures++;
    this.failure = error.cause?.message || error.cause?.code || error.message;
    this.refused = error.refused ?? false;
    const askedFor = Math.min(error.retryAfter ?? 0, MAX_RETRY_AFTER);
    this.retryAt = now + Math.max(backoff * (0.5 + Math.random() / 2), askedFor);
  }
}

export class FirnClient {
  #servers;
  #current = 0;
  #namespace;
  #route;
  #headers;
  #batch;
  #timeout;
  #maxWait;
  #maxAge;
  #fetch;
  /** Batches, the oldest first: { ids, next, born }. */
  #buffer = [];
  /** Calls that wait, the oldest first: { resolve, reject, timer }. */
  #waiting = new Set();
  #lastCall = performance.now();
  #refilling = false;
  #closed = false;

  constructor({
    servers,
    namespace,
    token,
    batch = 1_000,
    timeout = 1_000,
    maxWait = 5_000,
    maxAge = 10_000,
    fetch = globalThis.fetch,
  }) {
    if (!Array.isArray(servers) || servers.length === 0) {
      throw new RangeError(`servers: ${servers} (expected: a list of addresses)`);
    }
    check(typeof namespace === "string" && namespace !== "", "namespace", namespace, "a name");
    const aToken = typeof token === "string" && /^[\x21-\x7e]+$/.test(token);
    check(token === undefined || aToken, "token", "not shown", "visible ASCII characters");
    check(Number.isInteger(batch) && batch >= 1 && batch <= 10_000, "batch", batch, "1..10000");
    check(timeout > 0, "timeout", timeout, "over 0 ms");
    check(maxWait >= 0, "maxWait", maxWait, "0 ms or more");
    check(maxAge >= 2 * timeout, "maxAge", maxAge, "at least twice the timeout");
    this.#servers = shuffled(servers.map((address) => new Server(address)));
    this.#namespace = namespace;
    this.#route = `/v1/ids/${encodeURIComponent(namespace)}?count=${batch}`;
    this.#headers = { accept: "text/plain" };
    if (token !== undefined) this.#headers.authorization = `Bearer ${token}`;
    this.#batch = batch;
    this.#timeout = timeout;
    this.#maxWait = maxWait;
    this.#maxAge = maxAge;
    this.#fetch = fetch;
    this.#refillIfLacking();
  }

  async nextId() {
    const id = this.tryNextId();
    if (id !== undefined) return id;
    if (this.#maxWait === 0 || this.#isRefused()) throw this.#unavailable(0);
    return new Promise((resolve, reject) => {
      const call = { resolve, reject, begin: performance.now() };
      call.timer = setTimeout(() => this.#fail(call), this.#maxWait);
      this.#waiting.add(call);
    });
  }

  tryNextId() {
    if (this.#closed) throw new Error("client: closed (expected: open)");
    this.#lastCall = performance.now();
    const id = this.#take();
    this.#refillIfLacking();
    return id;
  }

  close() {
    this.#closed = true;
    this.#buffer = [];
    for (const call of this.#waiting) this.#fail(call);
  }

  #fail(call) {
    clearTimeout(call.timer);
    this.#waiting.delete(call);
    call.reject(this.#unavailable(performance.now() - call.begin));
  }

  #take() {
    while (this.#buffer.length > 0) {
      const oldest = this.#buffer[0];
      if (oldest.next < oldest.ids.length && performance.now() - oldest.born < this.#maxAge) {
        return BigInt(oldest.ids[oldest.next++]);
      }
      this.#buffer.shift();
    }
    return undefined;
  }

  /** Batches of half the age don't count: they are replaced before they are dropped. */
  #isLacking() {
    const oldestBorn = performance.now() - this.#maxAge / 2;
    let left = 0;
    for (const { ids, next, born } of this.#buffer) {
      if (born > oldestBorn) left += ids.length - next;
    }
    return left <= this.#batch;
  }

  #refillIfLacking() {
    if (this.#refilling || !this.#isLacking()) return;
    this.#refilling = true;
    this.#refill();
  }

  /** Fetches until the buffer is full; ends when no call waits or came within the maximum age. */
  async #refill() {
    while (!this.#closed && this.#isLacking()) {
      const begin = performance.now();
      if (this.#waiting.size === 0 && begin - this.#lastCall > this.#maxAge) break;
      const server = this.#nextServer(begin);
      if (server === undefined) {
        const pause = Math.min(...this.#servers.map((s) => s.retryAt)) - begin;
        // Unreferenced: it does not keep the process alive. A call that waits does.
        await new Promise((done) => setTimeout(done, Math.ceil(pause)).unref());
        continue;
      }
      try {
        const ids = await this.#ask(server);
        server.succeeded();
        if (!this.#closed) this.#buffer.push({ ids, next: 0, born: begin });
      } catch (e) {
        server.failed(e, performance.now());
      }
      this.#answerCalls();
    }
    this.#refilling = false; // before a call can come: nothing is awaited in between
  }

  #answerCalls() {
    for (const call of this.#waiting) {
      const id = this.#take();
      if (id !== undefined) {
        clearTimeout(call.timer);
        this.#waiting.delete(call);
        call.resolve(id);
      } else if (this.#isRefused()) {
        this.#fail(call);
      } else {
        return;
      }
    }
  }

  async #ask(server) {
    const answer = await this.#fetch(server.address + this.#route, {
      headers: this.#headers,
      redirect: "error",
      signal: AbortSignal.timeout(this.#timeout),
    });
    const body = await answer.text();
    if (answer.status !== 200) {
      const { status } = answer;
      throw new Failure(`${status} ${detail(body)}`, {
        refused: status >= 400 && status < 500 && status !== 408 && status !== 429,
        retryAfter: 1_000 * (Number(answer.headers.get("retry-after")) || 0),
      });
    }
    const ids = body.split("\n");
    if (ids.pop() !== "" || ids.length !== this.#batch || !ids.every((id) => /^\d+$/.test(id))) {
      throw new Failure(`${body.slice(0, 40)} (expected: ${this.#batch} IDs, one a line)`);
    }
    return ids;
  }

  /** Returns the server that answered last, or the next one that may be asked. */
  #nextServer(now) {
    for (let i = 0; i < this.#servers.length; i++) {
      const server = this.#servers[this.#current];
      if (server.retryAt <= now) return server;
      this.#current = (this.#current + 1) % this.#servers.length;
    }
    return undefined;
  }

  #isRefused() {
    return this.#servers.every((server) => server.refused);
  }

  #unavailable(waited) {
    if (this.#closed) return new Error("client: closed (expected: open)");
    const failures = Object.fromEntries(
      this.#servers.map((server) => [server.address, server.failure ?? "no answer yet"]).sort(),
    );
    const listed = Object.entries(failures).map(([address, failure]) => `${address}: ${failure}`);
    return new IdsUnavailableError(
      `Namespace ${this.#namespace} has no ID after ${Math.round(waited)} ms: ${listed.join("; ")}`,
      failures,
    );
  }
}

function check(holds, name, value, expected) {
  if (!holds) throw new RangeError(`${name}: ${value} (expected: ${expected})`);
}

function shuffled(servers) {
  for (let i = servers.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [servers[i], servers[j]] = [servers[j], servers[i]];
  }
  return servers;
}

function detail(body) {
  try {
    return JSON.parse(body).detail ?? body.slice(0, 200);
  } catch {
    return body.slice(0, 200);
  }
}
