// The strip of what needs somebody. What is counted stands until it is dismissed in this tab.

import {age, byId, clock, el, utc, whole} from './dom.js';
import {endsSoon} from './fleet.js';

const DISMISSED = 'firn.dismissed';

const dismissed = new Map(Object.entries(JSON.parse(sessionStorage.getItem(DISMISSED) ?? '{}')));
let current = new Map();
let shown = '';

function dismiss(key, count) {
  dismissed.set(key, count);
  sessionStorage.setItem(DISMISSED, JSON.stringify(Object.fromEntries(dismissed)));
  current.delete(key);
  draw();
}

/** Shows that nobody answers. */
export function silent(sinceMillis) {
  current = new Map([
    ['silent', {level: 'bad', text: `No answer from this server since ${clock(sinceMillis)}.`}],
  ]);
  draw();
}

/** Shows what there is to warn of. */
export function look(server, namespaces, segments, now) {
  current = new Map();
  const warn = (key, level, text) => current.set(key, {level, text});
  if (server.trouble !== null) {
    warn('ready', 'bad', `Not ready. ${server.trouble}`);
  }
  for (const each of namespaces) {
    namespace(each, warn, server.trouble);
    if (each.layout !== null && endsSoon(each.layout.ends_ms, now)) {
      warn(
        `ends ${each.name}`,
        'low',
        `${each.name}: its layout runs out on ${utc(each.layout.ends_ms, 10)}, ` +
          `${age(each.layout.ends_ms, now)}.`,
      );
    }
  }
  segments.forEach((each) => segment(each, warn));
  draw();
}

function namespace(each, warn, serverTrouble) {
  if (each.trouble !== null && each.trouble !== serverTrouble) {
    warn(`trouble ${each.name}`, 'bad', `${each.name} issues nothing. ${each.trouble}`);
  } else if (each.lease !== null && each.lease.trouble !== null && each.trouble === null) {
    warn(
      `lease ${each.name}`,
      'low',
      `${each.name}: the lease of worker ${each.lease.worker} is not renewed; without that, ` +
        `IDs end at ${utc(Date.parse(each.lease.fence), 19)}. ${each.lease.trouble}`,
    );
  }
  if (each.leases !== null) {
    counted(
      warn,
      `lost ${each.name}`,
      each.leases.lost,
      'low',
      (times) =>
        `${each.name}: lost its lease ${times}` +
        (each.lease === null ? '.' : `, has worker ${each.lease.worker} now.`),
    );
    counted(
      warn,
      `expired ${each.name}`,
      each.leases.expired,
      'low',
      (times) => `${each.name}: a lease ran out before it was renewed, ${times}.`,
    );
  }
  if (each.stats !== null) {
    counted(
      warn,
      `clock ${each.name}`,
      each.stats.clock_steps,
      'low',
      (times) => `${each.name}: the clock stepped back ${times}.`,
    );
  }
}

function segment(each, warn) {
  if (each.trouble !== null && each.left > 0) {
    warn(
      `source ${each.namespace}`,
      'low',
      `${each.namespace}: no new segment, ${each.source} does not give one. ${each.trouble}`,
    );
  }
  counted(
    warn,
    `empty ${each.namespace}`,
    each.waits,
    'low',
    (times) => `${each.namespace} ran out of numbers: requests waited for a segment ${times}.`,
  );
}

function counted(warn, key, count, level, text) {
  const before = dismissed.get(key) ?? 0;
  if (count < before) {
    dismissed.delete(key); // the server was started again
  }
  if (count > (dismissed.get(key) ?? 0)) {
    warn(key, level, text(count === 1 ? 'once' : `${whole(count)} times`));
    current.get(key).dismiss = () => dismiss(key, count);
  }
}

/** Changes the document only where the warnings changed: each change is read out. */
function draw() {
  const text = JSON.stringify([...current.values()].map((each) => each.text));
  if (text === shown) {
    return;
  }
  shown = text;
  byId('strip').replaceChildren(
    ...[...current.values()].map((each) =>
      el(
        'p',
        {class: 'warning', 'data-state': each.level},
        el('span', null, each.text),
        each.dismiss
          ? el('button', {type: 'button', class: 'quiet', onclick: each.dismiss}, 'Dismiss')
          : null,
      ),
    ),
  );
}
