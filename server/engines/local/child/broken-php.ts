import type { Php } from './php-wasm.ts'

/** Exit code of a process whose PHP crashed during a run. The site as a whole is fine: the next request restarts it. */
export const brokenPhpExitCode = 75

const broken = new WeakSet<Php>()

/**
 * Whether a run crashed in this PHP: WASM trapped, e.g. by infinite recursion, or an import failed. Resources it held are
 * never released, and every later run in it fails.
 */
export const isBroken = (php: Php): boolean => broken.has(php)

/** Calls `onBreak` when that happens. */
export function watchForBreak(php: Php, onBreak: () => void): void {
  const runStream = php.runStream.bind(php)
  const reportBreak = (): void => {
    broken.add(php)
    onBreak()
  }
  php.runStream = async (run) => {
    const response = await runStream(run)
    // The reader of the response gets the error, too; this handles the effect on other requests.
    for (const part of [response.httpStatusCode, response.headers, response.exitCode]) part.catch(reportBreak)
    return response
  }
}
