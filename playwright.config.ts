import { defineConfig } from '@playwright/test'
import { resultVariable } from './scripts/test-result.ts'
import { findBrowser } from './tests/e2e/support/harness-browser.ts'

const browser = await findBrowser()
const full = process.env['EASYDASH_TEST_FULL'] === '1'

/** Stories with a product of their own, one after the other in one worker: last, they would keep the other workers waiting. */
const long = /(?:kill|demo|phone|first-site|restart|sleep)(?:\.full)?\.e2e\.ts$/

/**
 * End-to-end tests. The stories of a worker share one product, in any order; some start one of their own.
 * `--trace on` records what a failed story did; it takes a fifth more time, so it is off.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  projects: [
    { name: 'long', testMatch: long },
    { name: 'stories', testMatch: '**/*.e2e.ts', testIgnore: long },
  ],
  outputDir: 'test-results/e2e',
  // More would only wait for the two processors of the smallest machine.
  workers: 3,
  // The test chain asks for one; it comes when all others have ended.
  retries: 0,
  retryStrategy: 'isolated',
  forbidOnly: process.env['CI'] !== undefined,
  // These end what hangs. They are far above what is needed alone, because processors may be shared.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: process.env[resultVariable] === undefined ? 'list' : './scripts/playwright-reporter.ts',
  use: {
    browserName: 'chromium',
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    // A laptop's; the full suite has a desk's. The gate is shorter with fewer pixels to draw.
    viewport: full ? { width: 1440, height: 900 } : { width: 1280, height: 720 },
    locale: 'en-US',
    // Animations are a sixth of the time. The stories of the shell and of lists have them (`withMotion`).
    contextOptions: { reducedMotion: 'reduce' },
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: browser.executablePath,
      env: { ...process.env, ...browser.env },
      chromiumSandbox: false,
      // Letters where the font wants them, not on the grid of this screen: pictures of the app look as on a real one. Drawn by
      // the processor, which a simulated graphics card would only use more of. Scripts of pages that live for seconds are not
      // worth optimizing: a twentieth of the time.
      args: ['--font-render-hinting=none', '--disable-gpu', '--js-flags=--no-opt'],
    },
  },
})
