import { defineConfig } from 'vitest/config'

/** Tests that may ask for a database get one PostgreSQL per project run; it starts with the first question. */
const withDatabase = { globalSetup: ['tests/support/postgres-setup.ts'] }

/** Every generated family is a sample with a fixed seed, unless all of it is asked for. */
const long = process.env['EASYDASH_TEST_LONG'] === '1'
const testTimeout = long ? 600_000 : 30_000

/**
 * `unit` and `web` live beside what they test; `wire` talks to a booted server with the real client; `contracts` runs
 * each suite against every engine and provider.
 */
export default defineConfig({
  test: {
    // Two processes: what the smallest supported machine has, and argon2 or initdb do not starve one another.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['server/**/*.test.ts', 'shared/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/support/**/*.test.ts'],
          environment: 'node',
          testTimeout,
          hookTimeout: 60_000,
          ...withDatabase,
        },
      },
      {
        extends: './vite.config.ts',
        root: '.',
        test: {
          name: 'web',
          include: ['web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          testTimeout,
        },
      },
      {
        test: {
          name: 'wire',
          include: ['tests/wire/**/*.test.ts'],
          environment: 'node',
          testTimeout,
          hookTimeout: 120_000,
          ...withDatabase,
        },
      },
      {
        test: {
          name: 'contracts',
          include: ['tests/contracts/**/*.test.ts'],
          environment: 'node',
          testTimeout: long ? 600_000 : 120_000,
          hookTimeout: 120_000,
          ...withDatabase,
        },
      },
    ],
  },
})
