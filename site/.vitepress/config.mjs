import fs from "node:fs";
import { slug } from "github-slugger";
import { defineConfig } from "vitepress";

const sidebar = JSON.parse(fs.readFileSync(new URL("../target/sidebar.json", import.meta.url), "utf8"));
const hasChinese = sidebar.zh !== undefined;

/** Blocks that are indented, as the pages have them for commands and their output, look like fenced ones. */
function indentedBlocks(md) {
  md.renderer.rules.code_block = (tokens, index, options, env, self) => {
    const block = tokens[index];
    block.info = /^\$ /m.test(block.content) ? "console" : "text";
    return md.renderer.rules.fence(tokens, index, options, env, self);
  };
}

export default defineConfig({
  title: "Firn",
  description: "64-bit, time-ordered unique IDs for Java that stay unique whatever the clocks do",
  srcDir: "target/pages",
  outDir: "target/site",
  cacheDir: "target/cache",
  ignoreDeadLinks: [/^\/files\//],
  markdown: {
    anchor: { slugify: (heading) => slug(heading) },
    config: indentedBlocks,
    linkify: false,
  },
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        locales: {
          zh: {
            translations: {
              button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
              modal: {
                noResultsText: "没有找到结果",
                resetButtonTitle: "清除查询",
                footer: { selectText: "选择", navigateText: "切换", closeText: "关闭" },
              },
            },
          },
        },
      },
    },
  },
  locales: {
    root: {
      label: "English",
      lang: "en-US",
      themeConfig: {
        nav: [
          { text: "Quick start", link: "/start" },
          { text: "Guarantee", link: "/concepts/guarantee" },
          { text: "Configuration", link: "/reference/configuration" },
          { text: "Troubleshooting", link: "/operating/troubleshooting" },
          { text: "FAQ", link: "/faq" },
        ],
        sidebar: sidebar.en,
      },
    },
    ...(hasChinese && {
      zh: {
        label: "简体中文",
        lang: "zh-CN",
        description: "64 位、按时间有序的 Java 分布式唯一 ID，时钟回拨也不重复",
        themeConfig: {
          nav: [
            { text: "快速开始", link: "/zh/start" },
            { text: "唯一性保证", link: "/zh/guarantee" },
          ],
          sidebar: sidebar.zh,
          outline: { level: [2, 3], label: "本页目录" },
          docFooter: { prev: "上一页", next: "下一页" },
          darkModeSwitchLabel: "外观",
          sidebarMenuLabel: "目录",
          returnToTopLabel: "回到顶部",
          langMenuLabel: "语言",
        },
      },
    }),
  },
});
