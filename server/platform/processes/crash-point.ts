/**
 * Crash points: positions between two writes at which a test lets the process kill itself, or pause while another part of
 * the product is killed, so that every order of "written, done, not yet recorded" can be tested in the real program. No
 * effect unless the environment variables are set.
 */
import { readFileSync, rmSync } from 'node:fs'

/**
 * Kills the process immediately, as a power failure would, if `EASYDASH_CRASH_AT` names this point. If the file at
 * `EASYDASH_STOP_FILE` names it, removes that file and pauses the process (SIGSTOP) until it receives SIGCONT.
 */
export function crashPoint(name: string): void {
  if (process.env['EASYDASH_CRASH_AT'] === name) process.kill(process.pid, 'SIGKILL')
  const stopFile = process.env['EASYDASH_STOP_FILE']
  if (!stopFile || orderIn(stopFile) !== name) return
  rmSync(stopFile)
  process.kill(process.pid, 'SIGSTOP')
}

/** The point named in the file; null if there is no file. */
function orderIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
