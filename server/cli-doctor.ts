import { statfs } from 'node:fs/promises'
import { describeConfig, loadConfig, type Config } from './platform/config.ts'
import { openDataDir } from './platform/data-dir.ts'
import { abandonedFolders, outsideFolders } from './platform/postgres/place.ts'
import { StartupError } from './platform/startup-error.ts'

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
    sitesDomain(config.localSitesDomain, config.url),
  ]
  for (const { ok, look, text } of findings) say(`${ok ? (look ? '!' : '✓') : '✗'} ${text}`)
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1
}

function nodeVersion(): Finding {
  return { ok: true, text: `Node ${process.versions.node}` }
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
