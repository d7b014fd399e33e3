import { readFile } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** The text of a file; null if it does not exist. */
export async function readFileIfExists(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}
