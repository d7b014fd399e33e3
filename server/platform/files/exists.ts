import { stat } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Whether a file or folder exists. Throws if that can't be determined, e.g. for lack of permissions. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}
