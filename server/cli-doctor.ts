import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { keyFacts } from './cli-keys.ts'
import { describeConfig, loadConfig, type Config } from './platform/config.ts'
import { readBrowserTrouble, troubles } from './engines/local/pictures/browser-trouble.ts'
import { readSiteRecords, sitesRoot } from './engines/local/site-record.ts'
import { hasBrowser } from './platform/browser/find-browser.ts'
import { silentLog } from './platform/log.ts'
import { openDataDir } from './platform/data-dir.ts'
import { abandonedFolders, outsideFolders } from './platform/postgres/place.ts'
import { StartupError, systemErrorCode } from './platform/startup-error.ts'
import { silentStep } from './platform/steps.ts'
import { openStorage } from './storage.ts'

/** What one check found. */
interface Finding {
  ok: boolean
  /** Nothing is wrong, but somebody should look. */
  look?: boolean
  text: string
}

const gigabyte = 1024 ** 3

/** Prints every setting with its source, then what the product needs and whether it is there. Exit code 1 if something is missing. */
export async function doctor(say: (line: string) => void): Promise<void> {
  const config = loadConfig(process.env, process.cwd())
  const settings = describeConfig(config, process.env)
  const width = Math.max(...settings.map(({ name }) => name.length))
  for (const { name, value, source } of settings) say(`${name.padEnd(width)}  ${value}  (${source})`)
  say('')
  const findings = [
    nodeVersion(),
    await dataFolder(config.dataDir),
    ...(await databasePlace(config)),
    ...(await secretKeys(config)),
    sitesDomain(config.localSitesDomain, config.url),
    await pictures(config),
    ...(await brokenSites(config.dataDir)),
  ]
  for (const { ok, look, text } of findings) say(`${ok ? (look ? '!' : '✓') : '✗'} ${text}`)
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1
}

function nodeVersion(): Finding {
  return { ok: true, text: `Node ${process.versions.node}` }
}

/** Nothing depends on them: without, sites are shown with their first letter. */
async function pictures({ thumbnails, browser, dataDir }: Config): Promise<Finding> {
  if (thumbnails === 'off') return { ok: true, text: 'Pictures of sites are switched off' }
  if (hasBrowser({ configured: browser })) {
    const trouble = await readBrowserTrouble(dataDir)
    if (trouble === null) return { ok: true, text: 'Pictures of sites: there is a browser for them' }
    const at = new Date(trouble.at).toISOString().slice(0, 19)
    return {
      ok: true,
      look: true,
      text: `Pictures of sites: the last start of the browser failed (${at}Z). ${troubles[trouble.kind].text} It is tried again by itself`,
    }
  }
  const remedy = browser === null ? 'install Chromium or Chrome' : 'correct EASYDASH_BROWSER'
  return { ok: true, look: true, text: `Pictures of sites: there is no browser for them; ${remedy}` }
}

/** Sites that no start brings back: nobody else would say so but the log. */
async function brokenSites(dataDir: string): Promise<Finding[]> {
  const root = sitesRoot(dataDir)
  try {
    const { broken } = await readSiteRecords(root)
    return broken.map(({ folder, reason }) => ({
      ok: false,
      text: `The site in ${folder} is left out: ${reason}. Put its site.json back from a backup, then start again`,
    }))
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === '') throw error
    return [{ ok: false, text: `The local sites in ${root} cannot be read (${code})` }]
  }
}

async function dataFolder(dataDir: string): Promise<Finding> {
  try {
    await openDataDir(dataDir)
    const { bavail, bsize } = await statfs(dataDir)
    const free = (bavail * bsize) / gigabyte
    return {
      ok: free > 1,
      text: `Data folder ${dataDir}: ${free.toFixed(1)} GB free${free > 1 ? '' : ', at least 1 GB is needed'}`,
    }
  } catch (error) {
    if (error instanceof StartupError) return { ok: false, text: error.message }
    throw error
  }
}

/** Where the database is: as root it may have had to move out of the data folder, which copying that folder must follow. */
async function databasePlace({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Finding[]> {
  if (databaseUrl !== null) return [{ ok: true, text: 'Database named by DATABASE_URL' }]
  try {
    const outside = await outsideFolders(dataDir)
    const abandoned = await abandonedFolders()
    const place =
      outside.length === 0 ? 'in the data folder' : `with parts outside the data folder: ${outside.join(', ')}`
    return [
      { ok: true, text: `Database ${place}` },
      ...abandoned.map((folder) => ({
        ok: true,
        look: true,
        text: `No data folder names ${folder}; delete it if nothing misses it`,
      })),
    ]
  } catch (error) {
    if (error instanceof StartupError) return [{ ok: false, text: error.message }]
    throw error
  }
}

/** Which keys of the ring are in use; nothing before the first start. */
async function secretKeys(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir, secretKeys: given } = config
  const used = databaseUrl !== null || given !== null || existsSync(join(dataDir, 'keys'))
  if (!used || (databaseUrl === null && !(await hasDatabase(dataDir)))) return []
  try {
    const storage = await openStorage({ config, log: silentLog, step: silentStep })
    try {
      const migrated = await sql<{
        found: boolean
      }>`select to_regclass('easydash_data_key') is not null as found`.execute(storage.database.db)
      if (!migrated.rows[0]?.found) return []
      return [{ ok: true, ...(await keyFacts(storage.database, { dataDir, secretKeys: given })) }]
    } finally {
      await storage.close()
    }
  } catch (error) {
    return [{ ok: false, text: `Secret keys: ${error instanceof Error ? error.message : String(error)}` }]
  }
}

/** Whether the built-in database was made already: looking must not make one. */
async function hasDatabase(dataDir: string): Promise<boolean> {
  return existsSync(join(dataDir, 'postgres', 'cluster')) || (await outsideFolders(dataDir)).length > 0
}

/**
 * Hosted sites are hostile to the dashboard: cookies and storage are shared below one registrable domain, so the sites'
 * domain must be another one. Without a list of public suffixes the last two labels are taken for it, the careful side.
 */
function sitesDomain(domain: string, url: string): Finding {
  const host = new URL(url).hostname
  const registrable = (name: string) => name.split('.').slice(-2).join('.')
  if (domain === 'localhost') return { ok: true, text: 'Local sites answer below localhost' }
  const shared = registrable(domain) === registrable(host)
  return {
    ok: !shared,
    text: shared
      ? `Local sites (${domain}) share a domain with the dashboard (${host}): set EASYDASH_LOCAL_SITES_DOMAIN to another one`
      : `Local sites answer below ${domain}`,
  }
}
