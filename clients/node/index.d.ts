/** The settings of a client. Times are in milliseconds. */
export interface FirnClientOptions {
  /** Addresses such as `http://firn-1:7608`; each client asks them in an order of its own. */
  servers: string[];
  /** The namespace that IDs are drawn from. */
  namespace: string;
  /** The bearer token, if the servers ask for one. */
  token?: string;
  /** How many IDs a request fetches, 1..10000; 1000 unless set. Two batches are kept in the buffer. */
  batch?: number;
  /** How long a server may take to answer; 1000 unless set. */
  timeout?: number;
  /** How long a call waits for an ID when the buffer is empty; 5000 unless set. */
  maxWait?: number;
  /** The age at which IDs in the buffer are dropped, at least twice the timeout; 10000 unless set. */
  maxAge?: number;
  /** Sends the requests; the global `fetch` unless set. */
  fetch?: typeof fetch;
}

/** Draws the IDs of a namespace. */
export class FirnClient {
  /** @throws {RangeError} if a setting is outside its range */
  constructor(options: FirnClientOptions);

  /**
   * Returns the next ID.
   *
   * @throws {IdsUnavailableError} if no server issued one within `maxWait`, or if each one refuses to
   */
  nextId(): Promise<bigint>;

  /** Returns the next ID, or undefined if the buffer is empty; a batch is then on its way. */
  tryNextId(): bigint | undefined;

  /** Ends this client. IDs in the buffer are lost; no other client is given them. */
  close(): void;
}

/** Thrown when no server issued an ID in time. */
export class IdsUnavailableError extends Error {
  /** The last failure, by address of the server. */
  readonly failures: Record<string, string>;
}
