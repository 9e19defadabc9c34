// Elements and how things are written. Text only ever becomes a text node: nothing here, and
// nothing on the page, takes markup from a value.

/** An element; attributes that are null or false are left out, children may be text. */
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Sets text, and leaves the document alone where it is the same. */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

const WHOLE = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const SHORT = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

/** 1,024 */
export const whole = (number) => WHOLE.format(number);

/** 4.1M */
export const short = (number) => SHORT.format(number);

/** 2026-11-21 18:37:29.123, in UTC; `digits` of 19 leaves the milliseconds away, 10 the time. */
export function utc(millis, digits = 23) {
  const date = new Date(millis);
  if (Number.isNaN(date.getTime())) {
    return 'beyond the calendar';
  }
  const text = date.toISOString();
  const year = text.indexOf('-', 1); // a year past 9999 is longer, and has a sign and zeros
  return text
    .slice(0, year - 4 + digits)
    .replace('T', ' ')
    .replace(/^\+0*/, '');
}

/** 18:37:29, where the reader is. */
export const clock = (millis) => new Date(millis).toLocaleTimeString('en-GB');

const MONTHS = 12;
const UNITS = [
  ['day', 'days', 86_400_000],
  ['h', 'h', 3_600_000],
  ['min', 'min', 60_000],
  ['s', 's', 1_000],
  ['ms', 'ms', 1],
];

/** The time between two instants in its two largest units: 10 years 6 months. */
export function span(from, to) {
  const months = monthsBetween(from, to);
  const parts = [
    [Math.floor(months / MONTHS), 'year', 'years'],
    [months % MONTHS, 'month', 'months'],
  ];
  let rest = to - addMonths(from, months);
  for (const [one, many, size] of UNITS) {
    parts.push([Math.floor(rest / size), one, many]);
    rest %= size;
  }
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) {
    return '0 ms';
  }
  const last = parts[first][1] === 's' ? first + 1 : first + 2;
  return parts
    .slice(first, last)
    .filter(([amount]) => amount > 0)
    .map(([amount, one, many]) => `${whole(amount)} ${amount === 1 ? one : many}`)
    .join(' ');
}

/** How long ago, or in how long. */
export function age(then, now) {
  if (Math.abs(then - now) < 1_000) {
    return 'now';
  }
  return then > now ? `in ${span(now, then)}` : `${span(then, now)} ago`;
}

function monthsBetween(from, to) {
  const a = new Date(from);
  const b = new Date(to);
  const months =
    (b.getUTCFullYear() - a.getUTCFullYear()) * MONTHS + b.getUTCMonth() - a.getUTCMonth();
  return addMonths(from, months) > to ? months - 1 : months;
}

/** As the calendar has it: a month after the 31st is the last day of a shorter one. */
function addMonths(millis, months) {
  const date = new Date(millis);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
}

/** 12.3 s, 250 ms, 40 µs. */
export function seconds(micros) {
  const [value, unit] =
    micros >= 1e6 ? [micros / 1e6, 's'] : micros >= 1e3 ? [micros / 1e3, 'ms'] : [micros, 'µs'];
  return `${value >= 100 ? Math.round(value) : Number(value.toPrecision(2))} ${unit}`;
}

/**
 * A table that is a list of cards where it is narrow, hence the labels in the cells and the roles.
 * Columns are [title, cell of a row, class, explanation]; a cell is text or a node.
 */
export function table(caption, columns, rows) {
  const head = columns.map(([title, , kind, tip]) =>
    el(
      'th',
      {scope: 'col', role: 'columnheader', class: kind},
      tip ? el('abbr', {title: tip}, title) : title,
    ),
  );
  const body = rows.map((row) =>
    el(
      'tr',
      {role: 'row'},
      columns.map(([title, cell, kind, tip]) =>
        el(
          'td',
          {role: 'cell', class: kind, 'data-label': title, title: tip},
          el('span', null, cell(row)),
        ),
      ),
    ),
  );
  return el(
    'table',
    {role: 'table'},
    el('caption', {class: 'hidden'}, caption),
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, head)),
    el('tbody', {role: 'rowgroup'}, body),
  );
}

/** Makes a node's children like those, touching only what differs: selections and focus stay. */
export function fill(place, ...wanted) {
  const nodes = wanted.filter((node) => node !== null);
  while (place.childNodes.length > nodes.length) {
    place.lastChild.remove();
  }
  nodes.forEach((node, i) => {
    const there = place.childNodes[i];
    if (there === undefined) {
      place.append(node);
    } else {
      become(there, node);
    }
  });
}

function become(there, wanted) {
  if (there.nodeName !== wanted.nodeName) {
    there.replaceWith(wanted);
  } else if (there.nodeType === Node.TEXT_NODE) {
    say(there, wanted.textContent);
  } else {
    for (const {name} of [...there.attributes]) {
      if (!wanted.hasAttribute(name)) {
        there.removeAttribute(name);
      }
    }
    for (const {name, value} of wanted.attributes) {
      if (name === 'style') {
        there.style.cssText = wanted.style.cssText; // the policy forbids the attribute
      } else if (there.getAttribute(name) !== value) {
        there.setAttribute(name, value);
      }
    }
    fill(there, ...wanted.childNodes);
  }
}
