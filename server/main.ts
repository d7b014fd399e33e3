import { join } from 'node:path'
import { loadOwnConfig, unknownSettings, unknownSettingText, type Config } from '#server/platform/config/config.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { ignoreInspectorSignal } from '#server/platform/processes/inspector-signal.ts'
import { createLog, type Log } from '#server/platform/log/log.ts'
import { StartupError, startupErrorText } from '#server/platform/processes/startup-error.ts'
import { step } from './platform/steps.ts'
import { openProduct } from './product.ts'
import { openWorker } from './worker.ts'

const root = join(import.meta.dirname, '..')

/** Longest time a graceful shutdown may take; Ctrl+C promises ten seconds. */
const stopWithinMs = 9000

/** Signals closer together than this count as one press of Ctrl+C. */
const debounceMs = 1000

const print = (text: string) => void process.stdout.write(`${text}\n`)

/** Runs until a signal stops it. */
interface Running {
  stop(): Promise<void>
}

/**
 * Runs the product in this process until a signal stops it: everything, or only jobs with `--worker`. A startup failure is
 * printed as one sentence, exit code 1.
 */
export async function main(args: readonly string[] = []): Promise<void> {
  // In development, whoever sends the signal wants to debug.
  if (process.env['EASYDASH_DEV'] !== '1') ignoreInspectorSignal()
  let log: Log | null = null
  try {
    const config = loadOwnConfig()
    // The log file is the first file written in the data folder.
    await openDataDir(config.dataDir)
    log = createLog({
      directory: join(config.dataDir, 'logs'),
      terminal: 'readable',
      print: (text) => void process.stderr.write(text),
    })
    for (const name of unknownSettings(process.env, process.cwd())) log.warn(unknownSettingText(name))
    await (args.includes('--worker') ? runWorker(config, log) : runAll(config, log, args))
  } catch (error) {
    const text = error instanceof StartupError ? startupErrorText(error) : `Easydash did not start: ${describe(error)}`
    process.stderr.write(`${text}\n`)
    // A startup error has already been printed in full: at this level it only reaches the log file.
    log?.[error instanceof StartupError ? 'info' : 'error']('The start failed', { error })
    process.exit(1)
  }
}

async function runAll(config: Config, log: Log, args: readonly string[]): Promise<void> {
  const devRoot = process.env['EASYDASH_DEV'] === '1' ? root : null
  const isDemo = process.env['EASYDASH_DEMO'] === '1'
  const pagesDir = join(root, 'dist', 'web')
  const opening = openProduct({ config, log, step, print, pagesDir, devRoot, secondPortIsOptional: isDemo })
  stopOnSignals(opening, log)
  const product = await opening
  try {
    const url = await product.start()
    if (isDemo) {
      const { seedDemo } = await import('./demo.ts')
      await step('Demo data', () => seedDemo(product, config, args))
    }
    const link = await product.accounts.setupLink()
    // Printed at once, so that anything that waits for the ready line also gets the link.
    print(`\nEasydash is ready: ${url}/web${link ? `\nCreate the first account: ${link}` : ''}`)
    if (isDemo) {
      const { demoBackups } = await import('./demo-backups.ts')
      demoBackups(product).catch((error: unknown) => log.warn('The demo does not have all of its backups', { error }))
    }
  } catch (error) {
    await product.stop()
    throw error
  }
}

async function runWorker(config: Config, log: Log): Promise<void> {
  const opening = openWorker({ config, log, step, print })
  stopOnSignals(opening, log)
  await opening
  print('\nThe worker runs.')
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/**
 * The first signal stops gracefully, including parts that are still opening (the database runs in its own session and would
 * survive). A later signal, or a stop that hangs, exits at once. One Ctrl+C arrives twice: the terminal signals the whole
 * foreground group, and npm forwards its own copy.
 */
function stopOnSignals(opening: Promise<Running>, log: Log): void {
  let stoppingSince: number | null = null
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince < debounceMs) return
      process.exit(1)
    }
    stoppingSince = performance.now()
    print('\nStopping …')
    const timer = setTimeout(() => {
      log.error('The stop took too long', { signal })
      process.exit(1)
    }, stopWithinMs)
    void opening
      .then((running) => running.stop())
      .then(
        () => {
          clearTimeout(timer)
          process.exit(0)
        },
        (error: unknown) => {
          log.error('The stop failed', { error })
          process.exit(1)
        },
      )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
}
