/**
 * The PHP engine alone, in its own process with the flags and priority of a site's: a page without socket, HTTP server and
 * proxy. Forked by `site-create.bench.ts`; responds to each message with the milliseconds of one run.
 */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { outboundSockets } from '#server/engines/local/child/outbound.ts'
import { loadPhpImage, startPhp } from '#server/engines/local/child/php-instance.ts'

const most = Number.MAX_SAFE_INTEGER
const unlimited = {
  maxBytes: { files: most, logs: most, outbox: most },
  usedBytes: { files: 0, logs: 0, outbox: 0 },
  maxEntries: most,
  usedEntries: 0,
}

/** The first message it receives. */
export interface DirectOrder {
  folder: string
  url: string
  phpVersion: string
}

process.once('disconnect', () => process.exit(0))
process.once('message', (order: DirectOrder) => {
  start(order).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  })
})

async function start({ folder, url, phpVersion }: DirectOrder): Promise<void> {
  const image = await loadPhpImage(phpVersion)
  const preload = readFileSync(new URL('../../server/engines/local/php/preload.php', import.meta.url), 'utf8')
  process.chdir(folder)
  const home = new URL(url)
  const php = await startPhp(image, {
    boot: {
      type: 'boot',
      siteType: 'wp',
      phpVersion,
      url,
      served: [],
      uid: null,
      offline: true,
      limits: { usual: 60, admin: 300 },
      memoryMb: 256,
      uploadMb: 64,
      debug: false,
      isNetwork: false,
      protections: [],
      quota: unlimited,
    },
    onAdmin: () => undefined,
    preload,
    scripts: new Map(),
    sockets: outboundSockets({
      connect: () => {
        throw new Error('The page needs no network.')
      },
      isOwn: (host, port) => host === home.hostname && port === Number(home.port),
      acceptOwn: () => undefined,
    }),
  })
  setPriority(10)
  process.on('message', () => {
    void page().then((milliseconds) => process.send?.(milliseconds))
  })
  process.send?.(0)

  async function page(): Promise<number> {
    const started = performance.now()
    const run = await php.runStream({
      scriptPath: '/wordpress/index.php',
      relativeUri: '/',
      method: 'GET',
      protocol: 'http',
      headers: { host: home.host },
      $_SERVER: {
        DOCUMENT_ROOT: '/wordpress',
        SCRIPT_NAME: '/index.php',
        SCRIPT_FILENAME: '/wordpress/index.php',
        PHP_SELF: '/index.php',
        REQUEST_URI: '/',
        REMOTE_ADDR: '127.0.0.1',
        SERVER_NAME: home.hostname,
        SERVER_PORT: home.port,
        EASYDASH_HOME: home.origin,
      },
    })
    const [status, bytes] = await Promise.all([run.httpStatusCode, run.stdoutBytes])
    await run.exitCode
    if (status !== 200 || bytes.length < 1000) throw new Error(`The page answered ${status}.`)
    return performance.now() - started
  }
}
