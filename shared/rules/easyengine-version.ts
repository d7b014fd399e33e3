import { compareVersions } from './wordpress-versions.ts'

/** Newest release known: v4.12.0 of July 2026. Source: pull request 1928 of EasyEngine/easyengine on GitHub. */
export const newestEasyEngine = '4.12.0'

/** Whether a server has an older EasyEngine than the newest. Unknown versions don't count. */
export function isEasyEngineOutdated(installed: string | null | undefined): boolean {
  return /^\d{1,3}(\.\d{1,3}){1,2}$/.test(installed ?? '') && compareVersions(installed ?? '', newestEasyEngine) < 0
}
