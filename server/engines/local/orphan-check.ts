/*
 * Started by a test: runs an engine with one awake site, prints the site's process id and waits to be killed.
 */
import { silentLog } from '#server/platform/log.ts'
import { createLocalEngine } from './local-engine.ts'

const [dataDir = '', cacheDir = ''] = process.argv.slice(2)
const engine = await createLocalEngine({
  dataDir,
  cacheDir,
  port: 8080,
  sitesDomain: 'localhost',
  sitesUrlPattern: null,
  idleMinutes: 10,
  awakeMax: 1,
  log: silentLog,
  wordpressOrgUrl: null,
  keepSpare: false,
})
const steps = engine.createSteps({
  id: 'orphan0001',
  domain: 'orphan',
  siteType: 'php',
  phpVersion: '8.3',
  title: 'Orphan',
  adminUser: 'boss',
  adminEmail: 'boss@example.com',
  adminPassword: 'Abcdefghijklmnopqrstuvw1',
})
for (const step of steps)
  await step.run({
    operationId: 'test',
    log: () => undefined,
    progress: () => undefined,
    signal: AbortSignal.timeout(60_000),
  })
process.stdout.write(String(engine.processes()[0]?.pid))
