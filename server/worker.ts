import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import { watchLoop } from '#server/platform/log/loop-watchdog.ts'
import { limitHeapGrowth } from '#server/platform/processes/heap-growth.ts'
import { releaseMemoryWhenIdle } from '#server/platform/processes/idle-memory.ts'
import { releasePooledPages } from '#server/platform/processes/pooled-pages.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { createEngines } from './create-engines.ts'
import type { ReadCredentials } from './engines/engine.ts'
import type { Step } from './platform/steps.ts'
import { openServices, type Services } from './services.ts'
import { openStorage } from './storage.ts'
import { migrate } from './tables.ts'

/**
 * Runs jobs and mail delivery without HTTP and without the local engine, next to one or more `serve` processes on the same
 * database. Jobs of local sites stay with the process on the machine that holds the sites.
 */
export async function openWorker(options: {
  config: Config
  log: Log
  step: Step
  print: (text: string) => void
}): Promise<{ stop(): Promise<void> }> {
  const { config, log, step, print } = options
  if (config.databaseUrl === null) {
    throw new StartupError(
      'A worker of its own needs a database that several processes share.',
      'Set DATABASE_URL for it and for "serve", or run "serve" alone: it runs the jobs itself.',
    )
  }
  const storage = await step('Database', () => openStorage({ config, log, step }))
  try {
    await step('Tables', () => migrate(storage.database, log))
    const readCredentials: ReadCredentials = (handle) => services.servers.readCredentials(handle)
    const engines = await createEngines({ config, log, readCredentials }, false)
    const services: Services = await openServices({ config, database: storage.database, log, engines, print })
    const { start, stop, close } = services
    await step('Jobs', start)
    const watchdog = watchLoop(log)
    limitHeapGrowth()
    const memory = releaseMemoryWhenIdle()
    const pages = releasePooledPages()
    return {
      async stop() {
        watchdog.stop()
        memory.stop()
        pages.stop()
        await stop()
        await close()
        await storage.close()
      },
    }
  } catch (error) {
    await storage.close()
    throw error
  }
}
