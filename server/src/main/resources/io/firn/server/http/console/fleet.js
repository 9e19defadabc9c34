// Tables of what this server and those beside it are at.

import {bitBar} from './bits.js';
import {age, byId, clock, el, fill, say, short, span, table, utc, whole} from './dom.js';

const FIVE_YEARS_MS = 5 * 365.25 * 86_400_000;

/** Data of the store that is older does not come from a store that answers. */
export const OLD_MS = 10_000;

/** More namespaces than this fold their lines behind one. */
const MARK_LINES = 3;

const LEAD = 'How far the time of the newest ID is ahead of the clock';
const FENCE = 'No ID at or past it has been permitted for this worker';
const WINDOW = 'The ID time that is leased: without the store, IDs go on until it is used up';

const endsSoon = (endsMillis, now) => endsMillis - now < FIVE_YEARS_MS;

/** Draws a table, or says why there is none. */
function draw(id, caption, columns, rows, none) {
  fill(
    byId(id),
    rows.length === 0 ? el('p', {class: 'empty'}, none) : table(caption, columns, rows),
  );
}

const badge = (state, text) => el('span', {class: 'badge', 'data-state': state}, text);

/** How much of a window is left, by length and in words. */
function left(millis, window) {
  const share = Math.max(0, Math.min(1, millis / window));
  const rest = el('span');
  rest.style.width = `${share * 100}%`;
  return el(
    'span',
    {class: 'left'},
    el(
      'span',
      {class: 'meter', 'data-state': share < 0.25 ? 'low' : 'good', 'aria-hidden': 'true'},
      rest,
    ),
    millis === 0 ? 'none' : span(0, millis >= 1000 ? Math.round(millis / 1000) * 1000 : millis),
  );
}

const before = new Map();

/** IDs a second of a row, since it was on the page a moment ago. */
function rate(row, at) {
  const last = before.get(row.name);
  before.set(row.name, {issued: row.issued, at});
  const passed = last === undefined ? Infinity : (at - last.at) / 1000;
  return passed > 10 || passed <= 0 || row.issued < last.issued
    ? null
    : (row.issued - last.issued) / passed;
}

const NO_SUCH_NAME = 'None has such a name.';

/** Says why a table of all namespaces is empty, unless only those with a name are shown. */
const unlessFiltered = (reason) => (byId('filter').value.trim() === '' ? reason : NO_SUCH_NAME);

export function namespaces(seen) {
  const at = performance.now();
  const rates = new Map(seen.rows.map((each) => [each.name, rate(each, at)]));
  say(byId('namespaces-count'), seen.namespaces > 1 ? ` (${whole(seen.namespaces)})` : '');
  draw(
    'namespaces',
    'Namespaces of this server',
    [
      [
        'Namespace',
        (each) => el('a', {href: `#${new URLSearchParams({namespace: each.name})}`}, each.name),
        'first',
      ],
      ['State', (each) => (each.stopped ? badge('bad', 'Stopped') : badge('good', 'Active'))],
      ['Layout', (each) => each.layout ?? 'counter'],
      ['Worker', (each) => (each.worker === null ? '–' : String(each.worker)), 'num'],
      ['Issued', (each) => (each.issued === null ? '–' : whole(each.issued)), 'num'],
      ['Per second', (each) => (rates.get(each.name) === null ? '–' : short(rates.get(each.name))), 'num'],
      ['Lead', (each) => (each.worker === null ? '–' : `${whole(each.lead_ms)} ms`), 'num', LEAD],
      ['Waits', (each) => (each.worker === null ? '–' : whole(each.waits)), 'num'],
      [
        'Window left',
        (each) => (each.worker === null ? '–' : left(each.left_ms, Math.max(1, each.window_ms))),
        null,
        WINDOW,
      ],
    ],
    seen.rows,
    seen.namespaces === 0
      ? 'None was asked for yet. A namespace is opened when somebody wants an ID of it.'
      : NO_SUCH_NAME,
  );
}

/** What comes over each protocol, and who sends it. */
export function traffic(seen) {
  draw(
    'protocols',
    'Protocols',
    [
      ['Protocol', (each) => each.protocol, 'first'],
      ['Connections', (each) => whole(each.connections), 'num'],
      ['Requests', (each) => whole(each.requests), 'num'],
      ['Refused', (each) => whole(each.refusals), 'num'],
      [
        'Clients by name',
        (each) =>
          seen.clients
            .filter((client) => client.protocol === each.protocol)
            .map((client) => `${client.name} ${whole(client.connections)}`)
            .join(', ') || '–',
        'wrap',
      ],
    ],
    seen.protocols,
    'None is served.',
  );
}

/** Says that the workers are as old as that. */
export function stale(seen) {
  const late = Date.parse(seen.now) - Date.parse(seen.taken);
  return (
    `As of ${clock(Date.parse(seen.taken))}, ${span(0, Math.max(0, late))} ago: ` +
    'the store does not answer.'
  );
}

/** Says that all of the page is as old as that: no server answers. */
export function old(sinceMillis) {
  say(byId('workers-old'), `As of ${clock(sinceMillis)}.`);
}

/** Its window may begin a little later than it was leased. */
const since = (worker, now) =>
  worker.since === null ? '–' : age(Math.min(now, Date.parse(worker.since)), now);

/** Says of each namespace that new processes lead or wait because the store may have lost writes. */
function marks(list, now) {
  const current = list.filter((each) => Date.parse(each.settled_at) > now);
  const lines = current.map((each) => el('p', null, mark(each)));
  if (current.length <= MARK_LINES) {
    byId('marks').replaceChildren(...lines);
    return;
  }
  const last = Math.max(...current.map((each) => Date.parse(each.settled_at)));
  const text =
    `${current.length} namespaces: their store was started, promoted, flushed or restored. ` +
    `New processes lead the clock, or wait, until ${utc(last, 19)} at most.`;
  const open = byId('marks').querySelector('details')?.open ?? false;
  byId('marks').replaceChildren(el('details', {open}, el('summary', null, text), lines));
}

function mark(each) {
  return (
    `${each.namespace}: its store was started, promoted, flushed or restored before ` +
    `${utc(Date.parse(each.since), 19)}. ` +
    `New processes ${each.after_loss === 'wait' ? 'wait' : 'lead the clock'} until ` +
    `${utc(Date.parse(each.settled_at), 19)}.`
  );
}

const STATES = {held: 'good', expired: 'bad', released: 'none', reserved: 'none', block: 'none'};

/** Another server's newest ID is not known here, but how far it leads after a loss is. */
function lead(worker, now) {
  const millis =
    worker.lead_ms ??
    (worker.leads_until === null ? null : Math.max(0, Date.parse(worker.leads_until) - now));
  return millis === null ? '–' : `${whole(millis)} ms`;
}

export function workers(seen) {
  const now = Date.parse(seen.now);
  const late = now - Date.parse(seen.taken);
  say(byId('workers-old'), seen.store_outage === null && late < OLD_MS ? '' : stale(seen));
  marks(seen.marks, now);
  const sorted = seen.workers;
  draw(
    'workers',
    'Workers',
    [
      ['Worker', (each) => `${each.namespace} ${each.worker}`, 'first'],
      ['State', (each) => badge(STATES[each.state], each.state)],
      [
        'Holder',
        (each) => [
          each.holder,
          each.state === 'reserved'
            ? null
            : el('small', null, ` process ${each.pid}${each.own ? ', this server' : ''}`),
        ],
        'wrap',
      ],
      ['Since', (each) => since(each, now)],
      [
        'Window left',
        (each) => (each.state === 'held' ? span(0, Math.max(0, each.left_ms)) : '–'),
        'num',
        WINDOW,
      ],
      ['Lead', (each) => lead(each, now), 'num', LEAD],
      ['Fence (UTC)', (each) => (each.fence.startsWith('9999-') ? '–' : utc(Date.parse(each.fence), 19)), 'num', FENCE],
    ],
    sorted,
    unlessFiltered('No worker ID is leased.'),
  );
}

export function segments(list) {
  draw(
    'segments',
    'Segments',
    [
      ['Namespace', (each) => each.namespace, 'first'],
      [
        'State',
        (each) =>
          each.last_error !== null
            ? badge('bad', 'no answer')
            : each.left === 0
              ? badge('bad', 'empty')
              : badge('good', 'in stock'),
      ],
      ['Newest', (each) => each.newest ?? '–', 'num'],
      ['In stock', (each) => whole(each.left), 'num'],
      ['Step', (each) => whole(each.step), 'num'],
      ['Waits', (each) => whole(each.waits), 'num'],
      [
        'Fetches',
        (each) =>
          whole(each.fetches) +
          (each.fetch_failures > 0 ? `, ${whole(each.fetch_failures)} failed` : ''),
        'num',
      ],
      ['Source', (each) => each.source, 'wrap'],
    ],
    list,
    unlessFiltered('None. A namespace of type segment issues 1, 2, 3 …'),
  );
}

const LAYOUT_COLUMNS = (used, now) => [
  [
    'Layout',
    (each) => [
      each.name || each.spec,
      used(each).length === 0 ? null : el('small', null, ` used by ${used(each).join(', ')}`),
    ],
    'first wrap',
  ],
  ['Bits', (each) => bitBar(each.fields), 'bars'],
  ['Tick', (each) => span(0, each.tick_ms), 'num'],
  ['Workers', (each) => whole(each.workers), 'num'],
  ['IDs/s per worker', (each) => short(each.ids_per_second), 'num'],
  ['IDs/s in total', (each) => short(each.ids_per_second * each.workers), 'num'],
  ['Ends', (each) => ends(each, now)],
];

/** Those in use, with whom they are used by; then the other named ones, folded. */
export function layouts(named, inUse, now) {
  const known = new Set(inUse.map((each) => each.spec));
  const columns = LAYOUT_COLUMNS(users, now);
  draw('layouts', 'Layouts in use', columns, inUse, 'None is in use.');
  draw(
    'named',
    'Other named layouts',
    columns,
    named.filter((each) => !known.has(each.spec)),
    'None.',
  );
}

const users = (layout) =>
  layout.users > (layout.first_users ?? []).length
    ? [...layout.first_users, `${layout.users - layout.first_users.length} more`]
    : (layout.first_users ?? []);

/** Years alone where there are many. */
function ends(layout, now) {
  const state = layout.ended ? 'bad' : endsSoon(layout.ends_ms, now) ? 'low' : null;
  const when = age(layout.ends_ms, now);
  return [
    utc(layout.ends_ms, 10),
    ' ',
    state === null
      ? el('small', null, when.replace(/(years) \d+ months?/, '$1'))
      : badge(state, when),
  ];
}
