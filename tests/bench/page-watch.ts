/** Measurements from a page's performance entries and the browser's trace: interactions, shifts, paints, tasks. */
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test'
import type { Product } from '#tests/e2e/support/harness.ts'

/** Measurements since the page was opened or last read. */
export interface PageMetrics {
  /** Longest interaction from input to next paint, in ms; 0 if below the browser's threshold of 16 ms. */
  interaction: number
  /** Cumulative layout shift (worst session window), without shifts within 500 ms of an input. */
  shift: number
  /** Largest contentful paint in ms since navigation; 0 after an input. */
  paint: number
}

/** Runs in the page before its own scripts. A string, because tests are type-checked without browser types. */
const watcher = `{
  const seen = { interactions: new Map(), shifts: [], paint: 0 }
  const watch = (options, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ ...options, buffered: true })
  watch({ type: 'event', durationThreshold: 16 }, (entry) => {
    const { interactionId: id, duration } = entry
    if (id > 0) seen.interactions.set(id, Math.max(duration, seen.interactions.get(id) ?? 0))
  })
  watch({ type: 'layout-shift' }, (entry) => {
    if (!entry.hadRecentInput) seen.shifts.push([entry.startTime, entry.value])
  })
  watch({ type: 'largest-contentful-paint' }, (entry) => { seen.paint = entry.startTime })
  window.takeSeen = () => {
    let worst = 0, sum = 0, first = 0, last = 0
    for (const [at, value] of seen.shifts) {
      if (at - last > 1000 || at - first > 5000) { sum = 0; first = at }
      last = at
      sum += value
      worst = Math.max(worst, sum)
    }
    return { interaction: Math.max(0, ...window.takeInteractions()), shift: worst, paint: seen.paint }
  }
  window.takeInteractions = () => {
    const all = [...seen.interactions.values()]
    seen.interactions.clear()
    return all
  }
}`

/** Measures every page of the tab from now on. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(watcher)
}

/** The measurements; interactions since the last call. */
export async function takeMetrics(page: Page): Promise<PageMetrics> {
  await painted(page)
  return await page.evaluate<PageMetrics>('takeSeen()')
}

/** How long each interaction of 16 ms and more took since the last call, in ms. */
export async function takeInteractions(page: Page): Promise<number[]> {
  await painted(page)
  return await page.evaluate<number[]>('takeInteractions()')
}

/** Resolves when pending changes have been painted and their timing was reported. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
  )
}

/** Runs the page's scripts `factor` times slower. */
export async function slowDown(devtools: CDPSession, factor: number): Promise<void> {
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: factor })
}

/** Tasks of the page's main thread, in wall-clock and processor time (ms): other load affects only the former. */
export interface Tasks {
  longest: number
  longestProcessor: number
  /** Processor time of all tasks. */
  processor: number
}

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  dur?: number
  tdur?: number
  args: { name?: string; data?: { documentLoaderURL?: string; url?: string } }
}

/** Measures the tasks of the page while `work` runs. */
export async function tasksDuring(browser: Browser, page: Page, work: () => Promise<void>): Promise<Tasks> {
  await browser.startTracing(page, { categories: ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] })
  let buffer: Buffer
  try {
    await work()
  } finally {
    buffer = await browser.stopTracing()
  }
  const { traceEvents } = JSON.parse(buffer.toString('utf8')) as { traceEvents: TraceEvent[] }
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name === 'RunTask' && mains.some((main) => main.pid === pid && main.tid === tid),
  )
  if (tasks.length === 0) throw new Error('The trace has no tasks of the page.')
  const sizes = (read: (task: TraceEvent) => number | undefined) => tasks.map((task) => (read(task) ?? 0) / 1000)
  const processor = sizes(({ tdur }) => tdur)
  return {
    longest: Math.max(...sizes(({ dur }) => dur)),
    longestProcessor: Math.max(...processor),
    processor: processor.reduce((sum, one) => sum + one, 0),
  }
}

/** A browser of somebody who is logged in, with nothing cached. */
export async function signedIn(browser: Browser, product: Product, cookie: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const pairs = cookie.split('; ').map((pair) => pair.split('='))
  await context.addCookies(pairs.map(([name = '', value = '']) => ({ name, value, url: product.url })))
  return context
}
