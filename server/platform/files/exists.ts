import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Whether a file or folder exists. Throws if that can't be determined, e.g. for lack of permissions. */
export const exists = async (path: string): Promise<boolean> => (await statIfExists(path)) !== null

/** What is known of a file or folder; null if it does not exist. */
export async function statIfExists(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}
