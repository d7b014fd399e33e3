import { msg, type LocalizedMessage } from '../localized-message.ts'
import { compareVersions, isStableVersion } from './wordpress-versions.ts'

/** Sites can run none before: the SQLite plugin that gives sites of this machine their database supports none. */
const oldest = '6.4'

/** Whether sites can run this version. */
export function isSupported(version: string): boolean {
  return isStableVersion(version) && compareVersions(version, oldest) >= 0
}

/** What is wrong with the version that a new WordPress is to have; null if there can be one. */
export function firstVersionProblem(version: string): LocalizedMessage | null {
  if (version === 'latest' || isSupported(version)) return null
  return msg`Enter a version from ${oldest} on, such as 6.8.1, or “latest”.`
}
