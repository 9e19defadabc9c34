// Asks the server once a second how it is, one request each time, and has the page show it.

import {get, token} from './api.js';
import * as charts from './charts.js';
import * as decode from './decode.js';
import {byId, el, fill, say, span} from './dom.js';
import * as fleet from './fleet.js';
import * as namespace from './namespace.js';
import * as warnings from './warnings.js';

const EVERY_MS = 1_000;
const LAYOUTS_EVERY = 60; // looks
const TOKEN = /^[\x21-\x7e]{16,256}$/; // fetch fails without an answer on other characters

let looks = 0;
let clockAheadMs = 0;
let answered = Date.now();
let named = null;
let counting = false; // whether there are segments
let timer = null;
const pages = {namespaces: 0, workers: 0, segments: 0};

const serverNow = () => Date.now() + clockAheadMs;

/** The next request: the overview every other time, and the parts of the page between. */
function next() {
  const turn = looks % 4;
  if (turn % 2 === 0) {
    return overview;
  }
  if (namespace.wanted() !== null) {
    return () => namespace.look(serverNow);
  }
  if (looks % LAYOUTS_EVERY === 3) {
    return layouts;
  }
  return turn === 3 && counting ? segments : workers;
}

async function look() {
  timer = null;
  try {
    if (looks === 0) {
      await overview();
      await workers();
      if (counting) {
        await segments();
      }
      await layouts();
      await namespace.look(serverNow);
    } else {
      await next()();
    }
    looks++;
  } catch (error) {
    failed(error);
  }
  schedule();
}

const query = (part) =>
  new URLSearchParams({
    filter: byId('filter').value.trim(),
    page: pages[part],
    ...(part === 'namespaces' ? {sort: byId('sort').value} : {}),
  });

async function overview() {
  const seen = await get(`/v1/console/overview?${query('namespaces')}`);
  clockAheadMs = Date.parse(seen.taken) - Date.now();
  answered = Date.now();
  counting = seen.segments > 0;
  state(seen.outage === null ? 'good' : 'bad', seen.outage === null ? 'Ready' : 'Not ready');
  charts.look(seen);
  fleet.namespaces(seen);
  fleet.traffic(seen);
  warnings.look(seen.warnings);
  turn('namespaces', seen);
  offer(seen.rows);
  who(seen);
  byId('segments-panel').hidden = !counting;
  byId('forget').hidden = !token.present();
  decode.tick();
}

function who(seen) {
  say(byId('where'), seen.holder === null ? location.host : `${seen.holder} · ${location.host}`);
  say(byId('version'), `Firn ${seen.version}, up ${span(0, Math.max(1, seen.uptime_s) * 1000)}`);
  if (seen.holder !== null) {
    document.title = `${seen.holder} · Firn`;
  }
}

/** A store that does not answer is no reason to stop looking at the rest. */
async function unlessAway(asking) {
  try {
    await asking();
  } catch (error) {
    if (error.status !== 503) {
      throw error;
    }
  }
}

const workers = () =>
  unlessAway(async () => {
    const seen = await get(`/v1/console/workers?${query('workers')}`);
    fleet.workers(seen);
    turn('workers', seen);
  });

async function segments() {
  const seen = await get(`/v1/console/segments?${query('segments')}`);
  fleet.segments(seen.segments);
  turn('segments', seen);
}

async function layouts() {
  named ??= (await get('/v1/layouts')).layouts;
  fleet.layouts(named, (await get('/v1/console/layouts')).layouts, serverNow());
}

/** The buttons that turn the pages of a table. */
function turn(part, seen) {
  pages[part] = seen.page;
  const go = (by) => () => {
    pages[part] += by;
    at(part);
  };
  fill(
    byId(`${part}-pages`),
    ...(seen.pages < 2
      ? []
      : [
          el('button', {type: 'button', class: 'second', disabled: seen.page === 0, onclick: go(-1)}, 'Back'),
          el('span', null, `Page ${seen.page + 1} of ${seen.pages}, ${seen.matching} rows`),
          el('button', {type: 'button', class: 'second', disabled: seen.page + 1 === seen.pages, onclick: go(1)}, 'Next'),
        ]),
  );
}

const PARTS = {
  namespaces: () => overview(),
  workers: () => workers(),
  segments: () => segments(),
  namespace: () => namespace.look(serverNow),
};

async function at(...parts) {
  try {
    for (const part of parts) {
      await PARTS[part]();
    }
  } catch (error) {
    failed(error);
  }
}

function filtered() {
  Object.keys(pages).forEach((part) => (pages[part] = 0));
  at('namespaces', 'workers', ...(counting ? ['segments'] : []));
}

function schedule() {
  if (timer === null && !document.hidden && byId('access').hidden) {
    timer = setTimeout(look, EVERY_MS);
  }
}

/** Offers snowflakes only: a number of a segment is not there to be wasted. */
function offer(rows) {
  const names = rows.filter((each) => each.worker !== null && !each.stopped).map((each) => each.name);
  const from = byId('draw-from');
  if (names.join() !== Array.from(from.options, (option) => option.value).join()) {
    const chosen = from.value;
    from.replaceChildren(...names.map((name) => el('option', {value: name}, name)));
    from.value = names.includes(chosen) ? chosen : (names[0] ?? '');
  }
  byId('draw').hidden = names.length === 0;
  from.hidden = names.length < 2;
}

function failed(error) {
  if (error.status === 401) {
    askForToken();
  } else if (error.status === undefined) {
    state('bad', 'No answer');
    warnings.silent(answered);
    fleet.old(answered);
  } else {
    state('bad', error.message);
  }
}

function state(kind, text) {
  byId('state').dataset.state = kind;
  say(byId('state'), text);
}

function askForToken() {
  state('unknown', 'Locked');
  say(byId('token-problem'), token.present() ? 'The server does not know this token.' : '');
  token.forget();
  byId('forget').hidden = true;
  byId('access').hidden = false;
  byId('token').focus();
}

byId('access').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = byId('token').value.trim();
  byId('token').value = '';
  if (!TOKEN.test(text)) {
    say(byId('token-problem'), 'A token has 16 to 256 visible ASCII characters.');
    return;
  }
  token.use(text);
  byId('access').hidden = true;
  looks = 0;
  look();
  decode.decode();
});

byId('forget').addEventListener('click', () => {
  token.forget();
  location.reload();
});

byId('draw').addEventListener('click', async () => {
  try {
    const {ids} = await get(`/v1/ids/${encodeURIComponent(byId('draw-from').value)}`);
    decode.show(ids[0]);
  } catch (error) {
    failed(error);
  }
});

let typing = null;
byId('filter').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(filtered, 200);
});
byId('sort').addEventListener('change', filtered);
byId('choose').addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('hashchange', () => at('namespace'));
document.addEventListener('visibilitychange', schedule);
say(byId('where'), location.host);
charts.start();
decode.start(serverNow);
look();
