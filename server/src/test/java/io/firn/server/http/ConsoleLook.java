package io.firn.server.http;

/** What looks wrong on the page that a browser shows; empty if nothing does. */
final class ConsoleLook {

  private ConsoleLook() {}

  /** Numbers and times on more than one line, or wider than their cell. */
  static String brokenNumbers(Browser browser) {
    return (String)
        browser.run(
            """
            const range = document.createRange();
            const lines = (e) => {
              range.selectNodeContents(e);
              return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
            };
            return [...document.querySelectorAll('td.num > span')]
              .filter((e) => lines(e) > 1 || e.parentNode.scrollWidth > e.parentNode.clientWidth)
              .map((e) => e.innerText).join(' ');
            """);
  }

  /** Labels of cells that are narrower than their longest word. */
  static String brokenLabels(Browser browser) {
    return (String)
        browser.run(
            """
            const pen = document.createElement('canvas').getContext('2d');
            return [...document.querySelectorAll('td[data-label]')]
              .filter((td) => {
                const label = getComputedStyle(td, '::before');
                pen.font = label.font;
                const words = td.dataset.label.split(/[ -]/).map((word) => pen.measureText(word).width);
                return parseFloat(label.width) < Math.max(...words) - 1;
              })
              .map((td) => td.dataset.label).join(' ');
            """);
  }

  /** Colors of text that stand out less from their ground than people need to read them. */
  static String faintColors(Browser browser) {
    return (String)
        browser.run(
            """
            const style = getComputedStyle(document.documentElement);
            const light = (name) => {
              const [r, g, b] = style.getPropertyValue(name).match(/[0-9a-f]{2}/gi)
                .map((hex) => parseInt(hex, 16) / 255)
                .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
              return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
            };
            const pairs = [['--text', '--panel'], ['--text', '--ground'], ['--faint', '--panel'],
              ['--faint', '--ground'], ['--accent', '--panel'], ['--on-accent', '--accent'],
              ['--bad', '--panel']];
            for (const hue of ['time', 'datacenter', 'worker', 'sequence', 'random', 'unused', 'good', 'low', 'bad']) {
              pairs.push([`--${hue}`, `--${hue}-tint`], [`--${hue}`, '--panel']);
            }
            const ratio = (a, b) => Math.max(a, b) / Math.min(a, b);
            return pairs.filter(([a, b]) => ratio(light(a), light(b)) < 4.5).join('; ');
            """);
  }
}
