// The rate of IDs by namespace, and the time to answer, since the page was opened.

import {byId, el, say, seconds, short} from './dom.js';

const SECONDS_KEPT = 300;
const MOST_LINES = 6;
const LINES = ['time', 'worker', 'sequence', 'datacenter', 'random', 'unused'];
const HEIGHT = 200;
const FONT = '12px system-ui, sans-serif';

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A chart whose lines may change: each has a name, a hue and a way to write its values. */
class Chart {
  constructor(place, legend, write, scale) {
    this.place = place;
    this.legend = legend;
    this.write = write;
    this.scale = scale;
    this.times = [];
    this.lines = new Map();
    this.plot = null;
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.plot?.redraw(false),
    );
  }

  size() {
    return {width: this.place.clientWidth, height: HEIGHT};
  }

  /** Adds a value of each line at a time; a line that is not named has none there. */
  add(time, values) {
    for (const name of values.keys()) {
      if (!this.lines.has(name)) {
        this.lines.set(name, new Array(this.times.length).fill(null));
        this.close();
      }
    }
    this.times.push(time);
    this.lines.forEach((line, name) => line.push(values.get(name) ?? null));
    if (this.times.length > SECONDS_KEPT) {
      this.times.shift();
      this.lines.forEach((line) => line.shift());
    }
    this.draw(values);
  }

  draw(values) {
    const data = [this.times, ...this.lines.values()];
    if (this.plot === null) {
      this.plot = new uPlot(this.options(), data, this.place);
      this.legend.replaceChildren(
        ...[...this.lines.keys()].map((name, i) =>
          el(
            'li',
            {'data-hue': LINES[i]},
            el('span', {class: 'key'}),
            el('span', null, name),
            ' ',
            el('b'),
          ),
        ),
      );
    } else {
      this.plot.setData(data);
    }
    [...this.lines.keys()].forEach((name, i) => {
      const value = values.get(name);
      say(
        this.legend.children[i].lastChild,
        value === null || value === undefined ? '–' : this.write(value),
      );
    });
  }

  /** A minute at least. */
  range() {
    const last = this.times[this.times.length - 1];
    return [Math.min(this.times[0], last - 60), last];
  }

  close() {
    this.plot?.destroy();
    this.plot = null;
  }

  options() {
    const axis = {
      stroke: () => css('--faint'),
      font: FONT,
      grid: {stroke: () => css('--line'), width: 1},
      ticks: {show: false},
    };
    return {
      ...this.size(),
      legend: {show: false},
      cursor: {show: false},
      padding: [8, 30, 0, 0], // half of the time at the right edge
      scales: {
        // uPlot itself shows a day where there is one time.
        x: {time: true, range: () => this.range()},
        y: this.scale,
      },
      axes: [
        {
          ...axis,
          space: 70,
          size: 26,
          gap: 6,
          values: (_, ticks) =>
            ticks.map((tick) => new Date(tick * 1000).toLocaleTimeString('en-GB')),
        },
        {
          ...axis,
          size: 58,
          ...this.scale.axis,
          values: (_, ticks) => ticks.map((tick) => this.write(tick)),
        },
      ],
      series: [
        {},
        ...[...this.lines.keys()].map((name, i) => ({
          label: name,
          width: 2,
          stroke: () => css(`--${LINES[i]}`),
          fill: i === 0 ? () => css('--area') : undefined,
          points: {show: false},
        })),
      ],
    };
  }
}

/** Numbers that only grow, of which the growth between two looks is wanted. */
class Growth {
  constructor() {
    this.before = null;
  }

  /** How much was added to each since the last look; null at the first, and after a restart. */
  since(counts) {
    const before = this.before;
    this.before = counts;
    if (before === null || before.length !== counts.length) {
      return null;
    }
    const grown = counts.map((count, i) => count - before[i]);
    return grown.some((count) => count < 0) ? null : grown;
  }
}

const powerOfTen = (round, number) => 10 ** round(Math.log10(number));

function powersOfTen(min, max) {
  const powers = [];
  for (let power = min; power <= max * 1.01; power *= 10) {
    powers.push(power);
  }
  return powers;
}

let rate;
let latency;
let lastLook = null;
const issued = new Map();
const answers = new Growth();

/** Sets the charts up, empty. */
export function start() {
  rate = new Chart(byId('rate'), byId('rate-legend'), short, {
    range: (_, min, max) => [0, Math.max(10, max * 1.1)],
  });
  latency = new Chart(byId('latency'), byId('latency-legend'), seconds, {
    distr: 3,
    range: (_, min, max) => [
      powerOfTen(Math.floor, min ?? 100),
      powerOfTen(Math.ceil, (max ?? 1_000) * 1.01),
    ],
    axis: {splits: (_, __, min, max) => powersOfTen(min, max), filter: (_, splits) => splits},
  });
}

/** Draws what there is a moment later. */
export function look(seen) {
  const at = performance.now();
  const passed = lastLook === null ? null : (at - lastLook) / 1000;
  lastLook = at;
  const time = Date.now() / 1000;
  const buckets = seen.times.map((each) => each.split(':').map(Number));
  const grown = answers.since(buckets.map(([, count]) => count));
  const rates = ratesOf(seen, passed);
  if (passed !== null) {
    drawRate(time, rates);
    drawLatency(time, buckets.map(([bound]) => bound), grown);
  }
}

/** IDs a second of the largest namespaces, and of all others together. */
function ratesOf(seen, passed) {
  const counts = new Map(seen.top.map((each) => [each.name, Math.max(0, each.issued)]));
  const others = seen.issued - [...counts.values()].reduce((sum, each) => sum + each, 0);
  if (seen.namespaces > counts.size) {
    counts.set('all others', others);
  }
  for (const name of issued.keys()) {
    if (!counts.has(name)) {
      issued.delete(name); // its growth until it comes back is not that of one look
    }
  }
  const rates = new Map();
  counts.forEach((count, name) => {
    const growth = issued.get(name) ?? new Growth();
    issued.set(name, growth);
    const grown = growth.since([count]);
    if (grown !== null && passed !== null) {
      rates.set(name, grown[0] / passed);
    }
  });
  return rates;
}

/** A line for each namespace, or for the first ones and for the rest of them together. */
function drawRate(time, rates) {
  const total = [...rates.values()].reduce((sum, each) => sum + each, 0);
  say(byId('rate-now'), short(total));
  const drawn = new Set(rate.lines.keys());
  const lines = new Map();
  [...rates]
    .sort(([, a], [, b]) => b - a)
    .forEach(([name, value]) => {
      const line = drawn.has(name) || drawn.size < MOST_LINES - 1 ? name : 'all others';
      drawn.add(line);
      lines.set(line, (lines.get(line) ?? 0) + value);
    });
  if (lines.size > 0) {
    rate.add(time, lines);
  }
}

function drawLatency(time, bounds, counts) {
  if (counts === null) {
    return;
  }
  const half = quantile(bounds, counts, 0.5);
  const most = quantile(bounds, counts, 0.99);
  say(byId('latency-now'), most === null ? '–' : seconds(most));
  latency.add(
    time,
    new Map([
      ['99th percentile', most],
      ['median', half],
    ]),
  );
}

/** A quantile in microseconds, evenly spread within its bucket; null if there was no request. */
function quantile(bounds, counts, share) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let left = total * share;
  for (let i = 0; total > 0 && i < counts.length; i++) {
    if (left <= counts[i]) {
      const from = i === 0 ? 1 : bounds[i - 1];
      const to = bounds[i] || from;
      return from + (to - from) * (left / counts[i]);
    }
    left -= counts[i];
  }
  return null;
}
