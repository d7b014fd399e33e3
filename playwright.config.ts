import { defineConfig } from '@playwright/test'
import { findBrowser } from './tests/e2e/support/harness-browser.ts'

const browser = await findBrowser()

/** Stories that need nothing of the others': they start products of their own, or share a second one. */
const beside =
  /\/(?:demo|failure-titles|faults|keyboard|kill|lazy-offline|list-keyboard|live-shares|look|phone|roles|sight|tours|trouble|two-tabs)\.e2e\.ts$/

/**
 * End-to-end tests: the stories share one product and run one at a time, in the order of their names; beside them run those
 * that need nothing of it. No second try.
 */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results/e2e',
  workers: 2,
  projects: [
    { name: 'stories', testIgnore: beside, workers: 1 },
    { name: 'beside', testMatch: beside, workers: 1 },
  ],
  retries: 0,
  forbidOnly: process.env['CI'] !== undefined,
  // Both end what hangs. They are far above what is needed alone, because processors may be shared.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: browser.executablePath,
      env: { ...process.env, ...browser.env },
      chromiumSandbox: false,
      // Letters where the font wants them, not on the grid of this screen: pictures of the app look as on a real one.
      args: ['--font-render-hinting=none'],
    },
  },
})
