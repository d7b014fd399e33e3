import { lstat } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Size of a file in bytes; 0 if it does not exist. Links are not followed. */
export async function sizeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0
    throw error
  }
}
