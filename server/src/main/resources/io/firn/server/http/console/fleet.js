// Tables of what this server and those beside it are at.

import {bitBar} from './bits.js';
import {age, byId, el, fill, short, span, table, utc, whole} from './dom.js';

const ROWS_AT_FIRST = 50;
const FIVE_YEARS_MS = 5 * 365.25 * 86_400_000;

/** Whether something ends so soon that one has to do something about it. */
export const endsSoon = (endsMillis, now) => endsMillis - now < FIVE_YEARS_MS;

const all = new Set();

/** Draws a table, or says why there is none; at first the first rows of many. */
function draw(id, caption, columns, rows, none) {
  const place = byId(id);
  if (rows.length === 0) {
    fill(place, el('p', {class: 'empty'}, none));
    return;
  }
  const some = all.has(id) ? rows : rows.slice(0, ROWS_AT_FIRST);
  const more =
    some.length === rows.length
      ? null
      : el(
          'button',
          {
            type: 'button',
            class: 'second',
            onclick: () => {
              all.add(id);
              draw(id, caption, columns, rows, none);
            },
          },
          `Show all ${whole(rows.length)}`,
        );
  fill(place, table(caption, columns, some), more);
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

export function namespaces(list, segments, rates) {
  const stock = new Map(segments.map((each) => [each.namespace, each]));
  const issued = (each) => each.stats?.issued ?? stock.get(each.name)?.issued;
  draw(
    'namespaces',
    'Namespaces of this server',
    [
      ['Namespace', (each) => each.name, 'first'],
      [
        'State',
        (each) =>
          each.trouble === null ? badge('good', 'Active') : badge('bad', 'Stopped'),
      ],
      [
        'Layout',
        (each) => (each.layout === null ? 'counts' : each.layout.name || each.layout.spec),
      ],
      ['Worker', (each) => (each.lease === null ? '–' : String(each.lease.worker)), 'num'],
      ['Issued', (each) => (issued(each) === undefined ? '–' : whole(issued(each))), 'num'],
      ['A second', (each) => (rates.has(each.name) ? short(rates.get(each.name)) : '–'), 'num'],
      ['Lead', (each) => (each.stats === null ? '–' : `${whole(each.stats.lead_ms)} ms`), 'num'],
      ['Waits', (each) => (each.stats === null ? '–' : whole(each.stats.waits)), 'num'],
      [
        'Window left',
        (each) => (each.lease === null ? '–' : left(each.lease.left_ms, windowOf(each.lease))),
      ],
    ],
    list,
    'None was asked for yet. A namespace is opened when somebody wants an ID of it.',
  );
}

const windows = new Map();

/** The length of a window, taken for the most that was ever seen left of it. */
function windowOf(lease) {
  const key = `${lease.store} ${lease.worker}`;
  windows.set(key, Math.max(windows.get(key) ?? 1, lease.left_ms + lease.since_renewal_ms));
  return windows.get(key);
}

/** Its window may begin a little later than it was leased. */
const since = (worker, now) =>
  worker.since === null ? '–' : age(Math.min(now, Date.parse(worker.since)), now);

const STATES = {held: 'good', expired: 'bad', released: 'none'};

export function workers(list, now) {
  const order = (each) =>
    each.own ? 0 : each.state === 'held' ? 1 : each.state === 'expired' ? 2 : 3;
  const sorted = [...list].sort(
    (a, b) => order(a) - order(b) || a.namespace.localeCompare(b.namespace) || a.worker - b.worker,
  );
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
          el('small', null, ` process ${each.pid}${each.own ? ', this server' : ''}`),
        ],
        'wrap',
      ],
      ['Since', (each) => since(each, now)],
      [
        'Window left',
        (each) => (each.state === 'held' ? span(0, Math.max(0, each.left_ms)) : '–'),
        'num',
      ],
      ['Lead', (each) => (each.lead_ms === null ? '–' : `${whole(each.lead_ms)} ms`), 'num'],
      ['Fence (UTC)', (each) => utc(Date.parse(each.fence), 19), 'num'],
    ],
    sorted,
    'Nobody holds a worker ID.',
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
          each.trouble !== null
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
    'None. A namespace of type segment counts: 1, 2, 3 …',
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
  ['IDs a second, each', (each) => short(each.ids_per_second), 'num'],
  ['All together', (each) => short(each.ids_per_second * each.workers), 'num'],
  ['Runs out', (each) => ends(each, now)],
];

/** Those in use, with whom they are used by; then the other named ones, folded. */
export function layouts(named, inUse, now) {
  const users = new Map();
  const known = new Map();
  for (const each of inUse.filter((one) => one.layout !== null)) {
    known.set(each.layout.spec, each.layout);
    users.set(each.layout.spec, [...(users.get(each.layout.spec) ?? []), each.name]);
  }
  const columns = LAYOUT_COLUMNS((layout) => users.get(layout.spec) ?? [], now);
  draw('layouts', 'Layouts in use', columns, [...known.values()], 'None is in use.');
  draw(
    'named',
    'Other named layouts',
    columns,
    named.filter((each) => !known.has(each.spec)),
    'None.',
  );
}

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
