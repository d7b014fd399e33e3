import { randomUUID } from 'node:crypto'
import * as realFs from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/**
 * Creates a private file (mode 0600) with its content atomically, so that nobody reads it half-written; false if there is
 * one already, which stays as it is. Nothing is left behind on failure. Works on any local file system.
 */
export async function createFile(
  path: string,
  text: string,
  fs: Pick<typeof realFs, 'writeFile' | 'link' | 'rm'> = realFs,
): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`
  try {
    await fs.writeFile(temporary, text, { flag: 'wx', mode: 0o600, flush: true })
    await fs.link(temporary, path)
    return true
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
    return false
  } finally {
    await fs.rm(temporary, { force: true })
  }
}
