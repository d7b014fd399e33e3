import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What runs on the server is loaded by Node itself, as in production (no transform, `import.meta.resolve` works). */
const onNode = {
  environment: 'node',
  // A process serves many files: modules are loaded once in it. Setup belongs into functions, not into modules.
  isolate: false,
  experimental: { viteModuleRunner: false },
  // Tests that may ask for a database get one PostgreSQL per run; it starts with the first question.
  globalSetup: ['tests/support/postgres-setup.ts'],
}

/** Runs the React SDK in a page, which takes the place of Node's globals: in a process of its own. */
const reactSdk = 'tests/wire/contract/react.test.ts'

/** Every generated family is a sample with a fixed seed, unless all of it is asked for. */
const long = process.env['EASYDASH_TEST_LONG'] === '1'
/** Tests of the full suite start, break and restore several real sites each. */
const full = process.env['EASYDASH_TEST_FULL'] === '1'
/**
 * End what hangs, in milliseconds: far above what any test needs alone, because processors may be shared. No test sets less
 * for itself.
 */
const timeouts = {
  testTimeout: long ? 600_000 : full ? 300_000 : 120_000,
  hookTimeout: full ? 300_000 : 120_000,
  // Of `expect.poll`, which ends as soon as what it waits for holds.
  expect: { poll: { timeout: 60_000 } },
}

/** The files that take longest, which start first: one of them alone at the end would keep the other workers waiting. */
const slowest = [
  'tests/contracts/engine-local.test.ts',
  'tests/permissions/matrix.test.ts',
  'tests/permissions/mutation.test.ts',
  'tests/contracts/engine-local.full.test.ts',
  'server/engines/local/network/local-networks.full.test.ts',
  'server/features/sites/bulk/bulk-real.full.test.ts',
  'server/features/sites/kill-restores.full.test.ts',
  'server/features/sites/kill-backups.full.test.ts',
  'server/features/sites/kill-first-backups.full.test.ts',
  'server/features/sites/kill-changes.full.test.ts',
  'server/features/sites/kill.full.test.ts',
  'server/engines/local/sites/site-lifecycle.full.test.ts',
  'tests/wire/hostile/hostile-values.full.test.ts',
  'server/features/sites/disk-breakages.full.test.ts',
  'tests/complexity/regexes.full.test.ts',
]

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => slowest.some((path) => moduleId.endsWith(path))
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

/**
 * `server`: beside what they test, and in `tests`: `wire` talks to a booted server with the real clients, `contracts` runs each
 * suite against every engine and provider. One project, because each project starts workers of its own, which load the
 * modules of the product again. `web`: beside what they test. `wire-react`: see above.
 */
export default defineConfig({
  test: {
    // One more than the smallest supported machine has processors, because many tests wait for processes they start.
    // On a real server with EasyEngine the parts of its contract have the same names of sites.
    maxWorkers: process.env['EASYDASH_TEST_EE_HOST'] ? 1 : 3,
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'server',
          // No `exclude`: it would replace that of the command line.
          include: [
            '{server,shared,scripts}/**/*.test.ts',
            'tests/{support,complexity,permissions,isolation,contracts}/**/*.test.ts',
            'tests/wire/**/!(react).test.ts',
          ],
          ...timeouts,
          ...onNode,
        },
      },
      {
        // Without the compiler: it changes how often things render, not what.
        plugins: [react()],
        test: {
          name: 'web',
          include: ['web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          // A process serves many files with one document, which the setup file clears before each.
          isolate: false,
          setupFiles: ['tests/web/setup.ts'],
          ...timeouts,
        },
      },
      {
        test: {
          name: 'wire-react',
          include: [reactSdk],
          ...timeouts,
          ...onNode,
          isolate: true,
        },
      },
    ],
  },
})
