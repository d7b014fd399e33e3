import { setImmediate } from 'node:timers/promises'
import { maxResultLength, type BootMessage, type FromChild, type ScriptResult, type ToChild } from './messages.ts'
import type { RunReporter } from './php-http.ts'
import type { PhpPool } from './php-pool.ts'
import type { Php } from './php-wasm.ts'
import { shownOutput } from './script-output.ts'

type ScriptCall = Extract<ToChild, { type: 'call' }>

/** What running management scripts needs of the site's process. */
export interface ScriptsContext {
  readonly boot: BootMessage
  readonly pool: Pick<PhpPool, 'use'>
  readonly reportRun: RunReporter
  readonly send: (message: FromChild) => void
}

/** Sites can replace the management scripts; limit what they send to the engine. */
const maxCookies = 50
const maxCookieLength = 4_096

/** Runs the management scripts that the engine calls, each when a PHP is free. */
export function createManagementScripts(context: ScriptsContext): {
  call(call: ScriptCall): Promise<void>
  /** Nobody waits for it any more: it does not begin. */
  cancel(id: number): void
} {
  const { pool, send } = context
  const waiting = new Set<number>()
  return {
    async call(call) {
      const { id } = call
      waiting.add(id)
      try {
        await pool.use(false, async (php) => {
          // PHP kept this process busy: what was sent meanwhile is read first, so that a canceled call does not begin.
          for (let turn = 0; turn < 2; turn += 1) await setImmediate()
          if (!waiting.delete(id)) return
          send({ type: 'begun', id })
          send({ type: 'result', id, ok: true, result: await runScript(context, php, call) })
        })
      } catch (error) {
        waiting.delete(id)
        send({ type: 'result', id, ok: false, reason: describeError(error) })
      }
    },
    cancel: (id) => void waiting.delete(id),
  }
}

let calls = 0

/**
 * Runs one management script: for the site of a network that `sitePath` of the input names, otherwise for its first one. The result is
 * passed in a separate file, because the output may contain error pages.
 */
async function runScript(
  { boot, reportRun }: Pick<ScriptsContext, 'boot' | 'reportRun'>,
  php: Php,
  { script, input }: Pick<ScriptCall, 'script' | 'input'>,
): Promise<ScriptResult> {
  calls += 1
  const result = `/internal/easydash/result-${calls}.json`
  const home = new URL(boot.url)
  const done = reportRun(php, null)
  try {
    const run = await php.runStream({
      scriptPath: `/internal/easydash/${script}.php`,
      protocol: home.protocol.slice(0, -1),
      headers: { host: home.host },
      $_SERVER: {
        EASYDASH_INPUT: JSON.stringify(input),
        EASYDASH_RESULT: result,
        DOCUMENT_ROOT: '/wordpress',
        SCRIPT_NAME: '/index.php',
        PHP_SELF: '/index.php',
        REQUEST_URI: typeof input['sitePath'] === 'string' ? input['sitePath'] : '/',
        REMOTE_ADDR: '127.0.0.1',
        SERVER_NAME: home.hostname,
        EASYDASH_HOME: boot.url,
        SERVER_SOFTWARE: 'Easydash',
        HTTPS: home.protocol === 'https:' ? 'on' : '',
      },
    })
    const [headers, output] = await Promise.all([run.headers, run.stdoutText])
    await run.exitCode
    if (!php.fileExists(result)) throw new Error(`The script ${script} ended without a result: ${shownOutput(output)}`)
    const text = php.readFileAsText(result)
    if (text.length > maxResultLength) throw new Error(`The response of the script ${script} is too long.`)
    const value: unknown = JSON.parse(text)
    const cookies = (headers['set-cookie'] ?? []).filter((cookie) => cookie.length <= maxCookieLength)
    return { value, headers: { 'set-cookie': cookies.slice(0, maxCookies) } }
  } finally {
    if (php.fileExists(result)) php.unlink(result)
    done()
  }
}

/** PHP-WASM also throws objects that are not errors, with the errno of a failed file operation. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.message
  const number: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'errno') : undefined
  return typeof number === 'number' ? `A file operation failed (${number}).` : String(error)
}
