import { join } from 'node:path'
import { loadConfig } from './platform/config.ts'
import { createLog, type Log } from './platform/log.ts'
import { StartupError, startupErrorText } from './platform/startup-error.ts'
import { step } from './platform/steps.ts'
import { openProduct, type Product } from './product.ts'

const root = join(import.meta.dirname, '..')

/** Longest an orderly stop may take; Ctrl+C promises ten seconds. */
const stopWithinMs = 9000

/** Runs the product in this process until a signal ends it. Failures of the start are told in one sentence, exit code 1. */
export async function main(args: readonly string[] = []): Promise<void> {
  let product: Product | null = null
  let log: Log | null = null
  try {
    const config = loadConfig(process.env, process.cwd())
    log = createLog({
      directory: join(config.dataDir, 'logs'),
      terminal: 'readable',
      print: (text) => void process.stderr.write(text),
    })
    const opened = await openProduct({
      config,
      log,
      step,
      pagesDir: join(root, 'dist', 'web'),
      devRoot: process.env.EASYDASH_DEV === '1' ? root : null,
      print: (text) => void process.stdout.write(`${text}\n`),
    })
    product = opened
    stopOnSignals(opened, log)
    const url = await opened.start()
    if (process.env['EASYDASH_DEMO'] === '1') {
      const { seedDemo } = await import('./demo.ts')
      await step('Demo data', () => seedDemo(opened, args))
    }
    const link = await opened.accounts.setupLink()
    process.stdout.write(`\nEasydash is ready: ${url}/web\n`)
    if (link) process.stdout.write(`Create the first account: ${link}\n`)
  } catch (error) {
    await product?.stop()
    process.stderr.write(
      error instanceof StartupError ? `${startupErrorText(error)}\n` : `Easydash did not start: ${describe(error)}\n`,
    )
    log?.error('The start failed', { error })
    process.exit(1)
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The first signal stops in order; a second one, or a stop that hangs, ends at once. */
function stopOnSignals(product: Product, log: Log): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    process.stdout.write('\nStopping …\n')
    const timer = setTimeout(() => {
      log.error('The stop took too long', { signal })
      process.exit(1)
    }, stopWithinMs)
    void product.stop().then(
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
