// Asks the server. A token is kept in this tab, and sent to this origin only.

const TOKEN = 'firn.token';
const PATIENCE_MS = 5_000;

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export const token = {
  present: () => sessionStorage.getItem(TOKEN) !== null,
  use: (text) => sessionStorage.setItem(TOKEN, text),
  forget: () => sessionStorage.removeItem(TOKEN),
};

async function ask(path, headers) {
  try {
    const response = await fetch(path, {
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return {response, body: await response.json()};
  } catch {
    throw new Error('No answer from this server.'); // each browser has words of its own
  }
}

/** The answer to a path; fails with Refused, or with another error if there was no answer. */
export async function get(path) {
  const headers = {Accept: 'application/json'};
  if (token.present()) {
    headers.Authorization = `Bearer ${sessionStorage.getItem(TOKEN)}`;
  }
  const {response, body} = await ask(path, headers);
  if (!response.ok) {
    throw new Refused(response.status, body.detail ?? `status ${response.status}`);
  }
  return body;
}
