/**
 * Crash points: places between two writes at which a test lets the process kill itself, or stand still while another part
 * of the product is killed, so that every order of "written, done, not yet recorded" can be provoked in the real program.
 * Without the environment variables they do nothing.
 */
import { readFileSync, rmSync } from 'node:fs'

/**
 * When `EASYDASH_CRASH_AT` names this point, ends the process at once, as a power cut would. When the file whose path
 * is in `EASYDASH_STOP_FILE` names it, removes that file and lets the process stand still (SIGSTOP) until somebody
 * sends SIGCONT.
 */
export function crashPoint(name: string): void {
  if (process.env['EASYDASH_CRASH_AT'] === name) process.kill(process.pid, 'SIGKILL')
  const stopFile = process.env['EASYDASH_STOP_FILE']
  if (!stopFile || orderIn(stopFile) !== name) return
  rmSync(stopFile)
  process.kill(process.pid, 'SIGSTOP')
}

/** What the file asks for; null while there is none. */
function orderIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
