// Asks the server once a second how it is, and has the parts of the page show it.

import {get, token} from './api.js';
import * as charts from './charts.js';
import * as decode from './decode.js';
import {byId, el, say} from './dom.js';
import * as fleet from './fleet.js';
import * as warnings from './warnings.js';

const EVERY_MS = 1_000;
const MAX_PAGES = 5;
const WORKERS_EVERY = 3; // looks: a store is asked for all of them
const LAYOUTS_EVERY = 600;

let looks = 0;
let clockAheadMs = 0;
let answered = Date.now();
let named = [];
let timer = null;

const serverNow = () => Date.now() + clockAheadMs;

async function look() {
  timer = null;
  try {
    const [server, {namespaces}, {segments}] = await Promise.all([
      get('/v1/server'),
      get('/v1/namespaces'),
      get('/v1/segments'),
    ]);
    clockAheadMs = Date.parse(server.taken) - Date.now();
    answered = Date.now();
    show(server, namespaces, segments);
    if (looks % LAYOUTS_EVERY === 0) {
      named = (await get('/v1/layouts')).layouts;
    }
    if (looks % WORKERS_EVERY === 0) {
      await showWorkers();
      fleet.layouts(named, namespaces, serverNow());
    }
    looks++;
  } catch (error) {
    failed(error);
  }
  schedule();
}

function schedule() {
  if (timer === null && !document.hidden && byId('access').hidden) {
    timer = setTimeout(look, EVERY_MS);
  }
}

function show(server, namespaces, segments) {
  state(server.trouble === null ? 'good' : 'bad', server.trouble === null ? 'Ready' : 'Not ready');
  const rates = charts.look(namespaces, segments, server);
  fleet.namespaces(namespaces, segments, rates);
  fleet.segments(segments);
  warnings.look(server, namespaces, segments, serverNow());
  offer(namespaces);
  byId('forget').hidden = !token.present();
  decode.tick();
}

/** Offers snowflakes only: a number of a segment is not there to be wasted. */
function offer(namespaces) {
  const names = namespaces
    .filter((each) => each.type === 'snowflake' && each.trouble === null)
    .map((each) => each.name);
  const from = byId('draw-from');
  if (names.join() !== Array.from(from.options, (option) => option.value).join()) {
    const chosen = from.value;
    from.replaceChildren(...names.map((name) => el('option', {value: name}, name)));
    from.value = names.includes(chosen) ? chosen : (names[0] ?? '');
  }
  byId('draw').hidden = names.length === 0;
  from.hidden = names.length < 2;
}

async function allWorkers() {
  const all = [];
  let path = '/v1/workers';
  for (let page = 0; page < MAX_PAGES && path !== null; page++) {
    const {workers, next} = await get(path);
    all.push(...workers);
    path = next === null ? null : `/v1/workers?after=${encodeURIComponent(next)}`;
  }
  return all;
}

/** A store that does not answer is no reason to stop looking at the rest. */
async function showWorkers() {
  try {
    const workers = await allWorkers();
    fleet.workers(workers, serverNow());
    const own = workers.find((each) => each.own);
    if (own !== undefined) {
      say(byId('where'), `${own.holder} · ${location.host}`);
      document.title = `${own.holder} · Firn`;
    }
  } catch (error) {
    if (error.status !== 503) {
      throw error;
    }
  }
}

function failed(error) {
  if (error.status === 401) {
    askForToken();
  } else if (error.status === undefined) {
    state('bad', 'No answer');
    warnings.silent(answered);
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
  token.use(byId('token').value);
  byId('token').value = '';
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

document.addEventListener('visibilitychange', schedule);
say(byId('where'), location.host);
charts.start();
decode.start(serverNow);
look();
