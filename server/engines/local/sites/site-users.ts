import { parseOwnJson } from '#shared/parse-json.ts'
import { mkdir, readdir, readFile, lstat, stat } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '#server/platform/config/data-dir.ts'
import { withLock } from '#server/platform/processes/lock-file.ts'
import { SYSTEM_DIR } from '#server/platform/config/system-dir.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { endProcessesOf, userIdsWithProcesses } from '#server/platform/processes/user-processes.ts'
import type { LocalEngineLog } from '../options.ts'

/** First user id for sites: below the ranges of containers and systemd, above those of users and services. */
export const firstUid = 55_000
/** A claim whose site has no folder yet is valid for this long: the site is being created. */
const newClaimMs = 10 * 60_000

/** Assignment of user ids to sites, for all installations on this machine. */
export interface SiteUsers {
  /** Reserves a user id for a site: `wanted`, or an unused one. Null: another installation has the wanted one. */
  claim(site: string, wanted: number | null): Promise<number | null>
  /** Reserves the ids of existing sites; the result excludes sites whose id another installation has. */
  keep(uids: ReadonlyMap<string, number>): Promise<ReadonlySet<string>>
  /** Releases the user id of a deleted site. */
  release(site: string): Promise<void>
  /** Ends every process of a site's user; does nothing if that user may be shared. */
  endProcesses(site: string): Promise<void>
  /** The same for all sites. */
  endAllProcesses(): Promise<void>
}

/** Content of a claim: the folder with all sites of an installation, and the site. */
interface Claim {
  root: string
  site: string
}

/**
 * Opens the register, which is shared by the whole machine: sites of two installations with one user could read each other's
 * files, and ending the processes of one would end the other's. Only needed as root.
 * @param root folder of all sites of this installation, without links in its path
 */
export async function openSiteUsers(
  root: string,
  log: LocalEngineLog,
  folder: string = join(SYSTEM_DIR, 'user-ids', 'sites'),
): Promise<SiteUsers> {
  const own = new Map<string, number>()
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    log.warn('The register of the users of sites cannot be written: processes that sites leave behind are not ended', {
      folder,
      error,
    })
    return withoutRegister(own)
  }
  const pathOf = (uid: number): string => join(folder, String(uid))
  const locked = <T>(work: () => Promise<T>): Promise<T> => withLock(join(folder, '.lock'), work)

  const isFree = async (uid: number, site: string): Promise<boolean> => {
    const claim = await readClaim(pathOf(uid))
    if (claim === null) return true
    return (claim.root === root && claim.site === site) || (await isStale(claim, pathOf(uid)))
  }
  const take = async (uid: number, site: string): Promise<number> => {
    const claim = await readClaim(pathOf(uid))
    if (claim?.root !== root || claim.site !== site)
      await writeFileAtomic(pathOf(uid), JSON.stringify({ root, site } satisfies Claim))
    own.set(site, uid)
    return uid
  }

  return {
    claim: (site, wanted) =>
      locked(async () => {
        if (wanted !== null) return (await isFree(wanted, site)) ? take(wanted, site) : null
        const taken = new Set([...own.values(), ...(await userIdsWithProcesses())])
        for (let uid = firstUid; ; uid += 1) if (!taken.has(uid) && (await isFree(uid, site))) return take(uid, site)
      }),
    keep: (uids) =>
      locked(async () => {
        const kept = new Set<string>()
        for (const [site, uid] of uids) {
          if (!(await isFree(uid, site))) continue
          await take(uid, site)
          kept.add(site)
        }
        return kept
      }),
    release: (site) =>
      locked(async () => {
        const uid = own.get(site)
        if (uid === undefined) return
        own.delete(site)
        rmSync(pathOf(uid), { force: true })
      }),
    endProcesses: async (site) => {
      const uid = own.get(site)
      if (uid !== undefined) await endProcessesOf(uid)
    },
    endAllProcesses: async () => {
      const alive = await userIdsWithProcesses()
      for (const uid of own.values()) if (alive.has(uid)) await endProcessesOf(uid)
    },
  }
}

/** Users are still distinct within this installation. */
function withoutRegister(own: Map<string, number>): SiteUsers {
  return {
    claim: (site, wanted) => {
      const taken = new Set(own.values())
      let uid = wanted ?? firstUid
      while (wanted === null && taken.has(uid)) uid += 1
      own.set(site, uid)
      return Promise.resolve(uid)
    },
    keep: (uids) => {
      for (const [site, uid] of uids) own.set(site, uid)
      return Promise.resolve(new Set(uids.keys()))
    },
    release: (site) => {
      own.delete(site)
      return Promise.resolve()
    },
    endProcesses: () => Promise.resolve(),
    endAllProcesses: () => Promise.resolve(),
  }
}

async function readClaim(path: string): Promise<Claim | null> {
  try {
    const value = parseOwnJson<Partial<Claim>>(await readFile(path, 'utf8'))
    return typeof value.root === 'string' && typeof value.site === 'string'
      ? { root: value.root, site: value.site }
      : null
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/** A site that was deleted, alone or with its installation, needs no user any more. */
async function isStale({ root, site }: Claim, path: string): Promise<boolean> {
  try {
    await lstat(join(root, site))
    return false
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) throw error
  }
  return Date.now() - (await stat(path)).mtimeMs > newClaimMs || !(await hasSites(root))
}

async function hasSites(root: string): Promise<boolean> {
  try {
    await readdir(root)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return false
    throw error
  }
}
