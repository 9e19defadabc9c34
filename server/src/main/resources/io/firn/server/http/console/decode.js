// What an ID says: its bits, its fields, its age, and what else it may be.

import {get} from './api.js';
import {bitPicture, hue} from './bits.js';
import {age, byId, el, say, table, utc, whole} from './dom.js';

const TYPING_MS = 150;

let now = Date.now;
let shown = null;
let asked = 0;
let typing = null;

/** Listens to the form; `clock` returns the server's time. */
export function start(clock) {
  now = clock;
  byId('decode').addEventListener('submit', (event) => {
    event.preventDefault();
    decode();
  });
  byId('id').addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(decode, TYPING_MS);
  });
  window.addEventListener('hashchange', fromAddress);
  fromAddress();
}

/** The ID behind #id= in the address, so that what is shown can be sent to somebody. */
function fromAddress() {
  const id = new URLSearchParams(location.hash.slice(1)).get('id');
  if (id !== null && id !== byId('id').value) {
    show(id);
  }
}

/** Shows what an ID says. */
export function show(id) {
  byId('id').value = id;
  return decode();
}

/** Shows what the ID that stands there says. */
export async function decode() {
  const text = byId('id').value.trim();
  const mine = ++asked;
  if (text === '') {
    return showReadings(null, '');
  }
  try {
    const answer = await get(`/v1/decode/${encodeURIComponent(text)}/readings`);
    if (mine === asked) {
      history.replaceState(null, '', `#${new URLSearchParams({id: text})}`);
      showReadings(answer.readings, '');
    }
  } catch (error) {
    if (mine === asked) {
      showReadings(null, error.status === 401 ? '' : error.message);
    }
  }
}

function showReadings(readings, problem) {
  say(byId('decode-problem'), problem);
  byId('id').setAttribute('aria-invalid', problem !== '');
  const place = byId('reading');
  shown = null;
  place.replaceChildren();
  say(byId('said'), '');
  if (readings !== null) {
    draw(place, readings, readings[0]);
  }
}

function draw(place, readings, reading) {
  shown = reading;
  const picture = bitPicture(reading.binary, reading.fields);
  place.replaceChildren(
    el(
      'p',
      {class: 'title', tabindex: -1},
      el('strong', null, reading.layout ?? reading.title),
      reading.layout ? el('span', null, reading.title.replace(`${reading.layout} `, '')) : null,
      el('span', null, `read as ${reading.form}`),
      reading.plausible ? null : el('span', {class: 'doubt'}, 'implausible'),
    ),
    picture,
    el('dl', {class: 'fields'}, cards(reading, picture)),
    el('p', {class: 'hint'}, reasons(reading)),
    others(place, readings, reading),
  );
  tick();
  say(byId('said'), `${name(reading)}, ${when(reading)}; ${readings.length - 1} other readings.`);
}

const when = (reading) =>
  reading.timestamp_ms === null ? 'without a time' : age(reading.timestamp_ms, now());

const name = (reading) => reading.layout ?? reading.type;

const reasons = (reading) =>
  reading.reasons.length === 0
    ? 'Nothing speaks for it in particular.'
    : `Because: ${reading.reasons.join('; ')}.`;

/** A card for each field; the time is one, also where its bits are in several places. */
function cards(reading, picture) {
  const times = reading.fields.filter(isTime);
  const first = (field) => !isTime(field) || field === times[0];
  return reading.fields.filter(first).map((field) => {
    const same = isTime(field) ? times : [field];
    const bits = same.reduce((sum, each) => sum + each.bits, 0);
    return card(
      isTime(field) ? 'Time' : title(field.field),
      bits,
      same,
      picture,
      isTime(field) ? moment(reading) : el('dd', null, field.value),
    );
  });
}

/** Its bits stand out while one points at it. */
function card(name, bits, fields, picture, value) {
  const names = fields.map((field) => field.field);
  const light = (on) => () =>
    picture
      .querySelectorAll('.bit')
      .forEach((bit) => bit.classList.toggle('dim', on && !names.includes(bit.dataset.field)));
  return el(
    'div',
    {
      class: 'field',
      'data-hue': hue(names[0]),
      onpointerenter: light(true),
      onpointerleave: light(false),
    },
    el('dt', null, name, el('small', null, ` ${bits} ${bits === 1 ? 'bit' : 'bits'}`)),
    value,
  );
}

const title = (field) => field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');

const isTime = (field) => hue(field.field) === 'time';

function moment(reading) {
  const local = new Date(reading.timestamp_ms).toLocaleString('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
  return el(
    'dd',
    null,
    el('time', {datetime: reading.time}, utc(reading.timestamp_ms), el('small', null, ' UTC')),
    el('small', {class: 'under'}, el('span', {id: 'age'}), ` · ${local} here`),
  );
}

/** The age goes on. */
export function tick() {
  const place = byId('age');
  if (place !== null && shown !== null) {
    say(place, when(shown));
  }
}

function others(place, readings, reading) {
  const rest = readings.filter((other) => other !== reading);
  const plausible = rest.filter((other) => other.plausible);
  const not = rest.filter((other) => !other.plausible);
  const list = (some, caption) =>
    table(
      caption,
      [
        [
          'Reading',
          (other) =>
            el(
              'button',
              {
                type: 'button',
                class: 'link',
                onclick: () => {
                  draw(place, readings, other);
                  place.querySelector('.title').focus();
                },
              },
              name(other),
            ),
          'first',
        ],
        ['As', (other) => other.form],
        [
          'Time (UTC)',
          (other) => (other.timestamp_ms === null ? '–' : utc(other.timestamp_ms, 19)),
          'num long',
        ],
        ['Age', (other) => (other.timestamp_ms === null ? '–' : when(other))],
        ['Fields', (other) => values(other)],
        ['Grounds', (other) => other.reasons.join('; ') || '–', 'wrap'],
      ],
      some,
    );
  return el(
    'div',
    {class: 'others'},
    folded(plausible, 'other readings', list, plausible.length <= 6),
    folded(not, 'implausible readings', list, false),
  );
}

function folded(some, what, list, open) {
  if (some.length === 0) {
    return null;
  }
  return el(
    'details',
    {open},
    el('summary', null, `${whole(some.length)} ${some.length === 1 ? what.slice(0, -1) : what}`),
    list(some, what),
  );
}

const values = (reading) =>
  reading.fields
    .filter(
      (field) => !isTime(field) && hue(field.field) !== 'unused' && hue(field.field) !== 'random',
    )
    .map((field) => `${field.field} ${field.value}`)
    .join(', ') || '–';
