import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemErrorCode } from '../processes/startup-error.ts'
import { statIfExists } from './exists.ts'

/** Names in a folder; none if it does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Files in a folder last written before a time (ms since the epoch). Files that disappear meanwhile are ignored. */
export async function filesOlderThan(folder: string, before: number): Promise<string[]> {
  const names: string[] = []
  for (const name of await listNames(folder)) {
    const found = await statIfExists(join(folder, name))
    if (found?.isFile() && found.mtimeMs < before) names.push(name)
  }
  return names
}
