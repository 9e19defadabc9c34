// The page of one namespace, behind #namespace= in the address: its workers on an axis of time, and
// what happened to it.

import {get} from './api.js';
import {age, byId, clock, el, fill, table, utc, whole} from './dom.js';
import {OLD_MS, stale} from './fleet.js';

const LEAST_PAST_MS = 60_000;
const MOST_PAST_MS = 900_000;
const TICKS = 4;
const MOST_FENCES = 20;

const KINDS = {
  acquired: ['good', 'leased a worker ID'],
  renewed: ['good', 'extended its window'],
  lost: ['bad', 'lost its lease'],
  expired: ['bad', 'the window ran out'],
  clock_stepped: ['low', 'the clock stepped back'],
};

const fences = new Map();

/** The name of the namespace that is to be shown; null for the page of all. */
export const wanted = () => new URLSearchParams(location.hash.slice(1)).get('namespace');

/** Shows the namespace that the address names, or none. */
export async function look(now) {
  const name = wanted();
  document.body.dataset.page = name === null ? 'all' : 'namespace';
  byId('namespace').hidden = name === null;
  if (name === null) {
    return;
  }
  byId('namespace-title').textContent = name;
  try {
    draw(await get(`/v1/console/namespaces/${encodeURIComponent(name)}`), name, now());
  } catch (error) {
    if (error.status === undefined || error.status === 401) {
      throw error;
    }
    fill(byId('namespace-body'), el('p', {class: 'problem'}, error.message));
  }
}

function draw(seen, name, now) {
  fill(
    byId('namespace-body'),
    el('p', {class: 'facts'}, facts(seen, now)),
    seen.outage === null ? el('span') : el('p', {class: 'problem'}, seen.outage),
    seen.lease_error === null || seen.stopped ? el('span') : el('p', {class: 'problem'}, seen.lease_error),
    change(seen.change, now),
    el('h3', null, 'Windows and fences'),
    el('p', {class: 'hint'}, old(seen)),
    picture(seen, name, now),
    el('h3', null, 'Events'),
    events(seen.events, now),
  );
}

function facts(seen, now) {
  const parts = [seen.stopped ? 'Stopped' : 'Active', seen.layout ?? 'counter'];
  if (seen.worker !== null) {
    parts.push(`worker ${seen.worker}`, `lead ${whole(seen.lead_ms)} ms`);
    parts.push(`${whole(seen.waits)} waits`, `${whole(seen.clock_steps)} clock steps`);
  }
  if (seen.issued !== null) {
    parts.push(`${whole(seen.issued)} issued`);
  }
  return parts.join(' · ');
}

/** Says when the layout changes, and whether this server switches to it. */
function change(seen, now) {
  if (seen === null || seen.state === 'done') {
    return el('span');
  }
  const at = Date.parse(seen.at);
  const when = `${utc(at, 19)} UTC, ${age(at, now)}`;
  if (seen.state === 'proposed') {
    const text = `Its change from ${seen.from_name} to ${seen.to_name} at ${when}, was not completed: all processes stop then.`;
    return el('p', {class: 'problem', id: 'change'}, text);
  }
  const text = `Layout ${seen.from_name} until ${when}, then ${seen.to_name}`;
  return seen.follows
    ? el('p', {class: 'facts', id: 'change'}, `${text}. This server switches to it.`)
    : el('p', {class: 'problem', id: 'change'}, `${text}. This server has no such next-layout, and stops then.`);
}

/** Explains the picture, or says how old it is. */
function old(seen) {
  const late = Date.parse(seen.now) - Date.parse(seen.taken);
  return seen.store_outage === null && late < OLD_MS
    ? 'Filled: what is left of a window, up to its fence. Dashed: the clock of this server.'
    : stale(seen);
}

/** A row for each worker: its window, its fences while the page is open, and now. */
function picture(seen, name, now) {
  if (seen.workers.length === 0) {
    return el('p', {class: 'empty'}, 'No worker ID is leased.');
  }
  const used = seen.workers.filter((each) => !KEPT[each.state]);
  const ends = used.map((each) => Date.parse(each.fence));
  const ahead = Math.max(5_000, ...ends.map((end) => end - now));
  const past = ends.map((end) => now - end).filter((since) => since < MOST_PAST_MS);
  const from = now - 1.1 * Math.max(LEAST_PAST_MS, ahead, ...past);
  const to = now + ahead * 1.1;
  const at = (millis) => `${(Math.max(0, Math.min(1, (millis - from) / (to - from))) * 100).toFixed(2)}%`;
  return el(
    'div',
    {class: 'axis', role: 'img', 'aria-label': spoken(seen.workers, now)},
    seen.workers.map((each) => row(each, name, now, at)),
    el(
      'div',
      {class: 'axis-row axis-ticks'},
      el('span'),
      el(
        'div',
        {class: 'track'},
        Array.from({length: TICKS + 1}, (_, i) => from + ((to - from) * i) / TICKS).map((millis) =>
          placed('span', 'tick', at(millis), null, clock(millis)),
        ),
      ),
    ),
  );
}

const spoken = (workers, now) =>
  workers
    .map((each) => `worker ${each.worker}, ${each.state}, fence ${age(Date.parse(each.fence), now)}`)
    .join('; ');

/** What no lease takes before its fence, which may be far ahead, and so is not drawn. */
const KEPT = {reserved: 'for ', block: 'block of '};

function row(worker, name, now, at) {
  const fence = Date.parse(worker.fence);
  const kept = KEPT[worker.state];
  const key = `${name} ${worker.worker}`;
  const before = fences.get(key) ?? [];
  if (before.at(-1) !== fence) {
    fences.set(key, [...before, fence].slice(-MOST_FENCES));
  }
  const since = worker.since === null ? -Infinity : Date.parse(worker.since);
  const state = worker.state === 'held' ? 'good' : worker.state === 'expired' ? 'bad' : 'none';
  return el(
    'div',
    {class: 'axis-row', 'data-state': state},
    el(
      'span',
      {class: 'axis-label'},
      `${worker.worker} `,
      el('small', null, worker.own ? 'this server' : (kept ?? '') + worker.holder),
    ),
    el(
      'div',
      {class: 'track', title: `fence ${utc(fence, 19)} UTC, ${age(fence, now)}; ${worker.state}`},
      worker.state === 'released' || kept
        ? null
        : placed('span', 'used', at(since), at(Math.min(now, fence))),
      fence > now && worker.state === 'held' ? placed('span', 'window', at(now), at(fence)) : null,
      (kept ? [] : (fences.get(key) ?? [])).map((each) => placed('span', 'fence', at(each))),
      placed('span', 'now-line', at(now)),
    ),
  );
}

/** The policy forbids the attribute style; its properties are allowed. */
function placed(tag, kind, left, right, text) {
  const element = el(tag, {class: kind}, text ?? null);
  element.style.left = left;
  if (right) {
    element.style.right = `calc(100% - ${right})`;
  }
  return element;
}

function events(list, now) {
  if (list.length === 0) {
    return el('p', {class: 'empty'}, 'None yet.');
  }
  return table(
    'Events',
    [
      [
        'What',
        (each) =>
          el('span', {class: 'badge', 'data-state': KINDS[each.kind][0]}, KINDS[each.kind][1]),
        'first',
      ],
      ['When (UTC)', (each) => utc(Date.parse(each.last), 19), 'num long'],
      ['Ago', (each) => age(Date.parse(each.last), now), 'num long'],
      ['Times', (each) => whole(each.times), 'num'],
      ['Worker', (each) => (each.worker === null ? '–' : String(each.worker)), 'num'],
      [
        'Fence (UTC)',
        (each) => (each.fence === null ? '–' : utc(Date.parse(each.fence), 19)),
        'num',
      ],
    ],
    [...list].reverse(),
  );
}
