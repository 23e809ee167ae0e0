// Opens reports of the probe in a real browser and uses them as a person does. Whatever is wrong is printed.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browserPath, ...pages] = process.argv.slice(2);
const problems = [];

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
for (const file of pages) {
  for (const [width, colorScheme] of [[1280, "light"], [390, "dark"]]) {
    const say = (what) => problems.push(`${basename(file)}, ${width} wide: ${what}`);
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
    const page = await context.newPage();
    page.on("console", (message) => say(`console: ${message.text()}`));
    page.on("pageerror", (error) => say(`script: ${error.message}`));
    page.on("request", (request) => request.url().startsWith("file:") || say(`loads ${request.url()}`));
    await page.goto(pathToFileURL(file).href);
    await use(page, say);
    await context.close();
  }
}
await browser.close();
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

async function use(page, say) {
  const expect = async (what, holds) => { if (!(await holds)) say(what); };
  const shown = () => page.locator(".finding:visible").count();
  await expect("scrolls sideways", page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));

  const before = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.click("#theme");
  const after = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  if (before === after) say("the theme does not change");

  if (await page.locator(".finding").count() === 0) return;
  const all = await shown();
  if (all === 0) await page.locator(".chip", { hasText: "through the gate" }).click();
  await page.fill("#words", "there is nothing that says this");
  if (await shown() !== 0) say("the text filter hides nothing");
  await expect("an empty list is not told", page.locator("#none").isVisible());
  await page.fill("#words", "");
  const rule = await page.locator(".finding:visible").first().getAttribute("data-rule");
  await page.selectOption("#rule", rule);
  const rules = await page.locator(".finding:visible").evaluateAll((all) => all.map((it) => it.dataset.rule));
  if (rules.length === 0 || rules.some((it) => it !== rule)) say("the filter by rule shows others");
  await page.selectOption("#rule", "");

  const hit = page.locator(".finding:visible .hit:not([open])").first();
  if (await hit.count() === 0) return;
  const handle = await hit.elementHandle();
  await hit.locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(50);
  const panes = await handle.$$eval(".pane", (all) => all.map((it) => it.textContent.length));
  if (panes.length < 2 || panes.some((it) => it < 5)) say("an opened finding does not show its exchange");
  await (await handle.$(".copy")).click();
  await page.waitForTimeout(50);
  const said = await (await handle.$(".copy")).textContent();
  if (said !== "Copied") say(`the copy button says ${said}`);
}
