import { stat } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Whether there is a file or folder at a path. Throws when that cannot be told, for want of rights for example. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}
