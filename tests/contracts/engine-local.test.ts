import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLocalEngine } from '#server/engines/local/local-engine.ts'
import { browserStarts } from '#server/platform/browser/browser-fixture.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { describeEngine } from './engine.contract.ts'

const cacheDir =
  process.env['EASYDASH_CACHE_DIR'] ?? fileURLToPath(new URL('../../node_modules/.cache/easydash', import.meta.url))

describeEngine('local', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'local-engine-'))
  let ahead = 0
  const engine = await createLocalEngine({
    dataDir,
    cacheDir,
    port: 8080,
    sitesDomain: 'localhost',
    sitesUrlPattern: null,
    idleMinutes: 10,
    awakeMax: 3,
    log: silentLog,
    // A closed port: tests must never reach wordpress.org, whatever network this machine has.
    wordpressOrgUrl: 'http://127.0.0.1:9',
    keepSpare: false,
    thumbnails: { enabled: await browserStarts(), browser: null },
    clock: () => Date.now() + ahead,
  })
  return {
    engine,
    pass: (seconds) => {
      ahead += seconds * 1000
    },
    end: async () => {
      await engine.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
})
