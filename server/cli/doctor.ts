import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { version } from '#server/version.ts'
import { databaseFindings, databaseLocation, type Finding } from './doctor-database.ts'
import { clockFinding, mailFinding, mysqlFinding, paymentFinding, wordpressFinding } from './doctor-services.ts'
import {
  describeConfig,
  loadOwnConfig,
  unknownSettings,
  unknownSettingText,
  type Config,
  type SettingDescription,
} from '#server/platform/config/config.ts'
import { readBrowserError, browserErrorTexts } from '#server/engines/local/thumbnails/browser-error.ts'
import { describeSandbox } from '#server/engines/local/sandbox/describe-sandbox.ts'
import { chooseSandbox } from '#server/engines/local/sandbox/sandbox.ts'
import { readSiteRecords, sitesRoot } from '#server/engines/local/sites/site-record.ts'
import { hasBrowser } from '#server/platform/browser/find-browser.ts'
import { secretSettings } from '#server/platform/config/config-settings.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'

const gigabyte = 1024 ** 3

/** Prints every requirement and whether it is met, then every setting with its source. Exit code 1 if something is missing. */
export async function doctor(print: (line: string) => void, args: readonly string[] = []): Promise<void> {
  // The settings were listed only with this option once: scripts may still pass it.
  parseArgs({ args: [...args], options: { settings: { type: 'boolean' } } })
  const config = loadOwnConfig()
  const settings = describeConfig(config)
  for (const { ok, isWarning, text } of await allFindings(config, settings)) {
    print(`${ok ? (isWarning ? '!' : '✓') : '✗'} ${text}`)
    if (!ok) process.exitCode = 1
  }
  print('')
  const width = Math.max(...settings.map(({ name }) => name.length))
  for (const { name, value, source } of settings) print(`${name.padEnd(width)}  ${value}  (${source})`)
}

async function allFindings(config: Config, settings: readonly SettingDescription[]): Promise<Finding[]> {
  const [mail, wordpress, clock, payments] = await Promise.all([
    mailFinding(config),
    wordpressFinding(config),
    clockFinding(config),
    paymentFinding(config),
  ])
  return [
    { ok: true, text: `Easydash ${version}, Node ${process.versions.node}` },
    await dataFolder(config.dataDir),
    ...(await databaseLocation(config)),
    ...(await databaseFindings(config)),
    ...unknownSettings(process.env, process.cwd()).map((name) => ({
      ok: true,
      isWarning: true,
      text: unknownSettingText(name),
    })),
    ...readableSecrets(settings),
    mail,
    wordpress,
    ...payments,
    ...clock,
    sitesDomain(config.localSitesDomain, config.url),
    await thumbnailBrowser(config),
    await sandboxFinding(),
    await mysqlFinding(config),
    ...(await brokenSites(config.dataDir)),
  ]
}

/** Optional: without screenshots, sites are shown with their first letter. */
async function thumbnailBrowser({ thumbnails, browser, dataDir }: Config): Promise<Finding> {
  if (thumbnails === 'off') return { ok: true, text: 'Screenshots are turned off' }
  if (hasBrowser({ configured: browser })) {
    const failed = await readBrowserError(dataDir)
    if (failed === null) return { ok: true, text: 'Screenshots: a browser is available' }
    const at = new Date(failed.at).toISOString().slice(0, 19)
    return {
      ok: true,
      isWarning: true,
      text: `Screenshots: the last start of the browser failed (${at}Z). ${browserErrorTexts[failed.kind].text} Easydash tries again automatically`,
    }
  }
  const remedy = browser === null ? 'install Chromium or Chrome' : 'correct EASYDASH_BROWSER'
  return { ok: true, isWarning: true, text: `Screenshots: no browser was found; ${remedy}` }
}

/** What isolates a site's process from the machine, in addition to Node's permission model. */
async function sandboxFinding(): Promise<Finding> {
  const { isBest, text } = describeSandbox(await chooseSandbox())
  return { ok: true, isWarning: !isBest, text }
}

/** Sites whose record can't be used, so that no start loads them: otherwise only the log mentions them. */
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

/** Secrets that other programs on this machine may be able to read at their source. */
function readableSecrets(all: readonly SettingDescription[]): Finding[] {
  const given = (from: SettingDescription['source']) =>
    all.filter(({ name, source }) => source === from && secretSettings.includes(name)).map(({ name }) => name)
  const findings: Finding[] = []
  const mode = statSync('.env', { throwIfNoEntry: false })?.mode ?? 0
  if (given('.env').length > 0 && (mode & 0o077) !== 0)
    findings.push({
      ok: true,
      isWarning: true,
      text: 'The file .env contains secrets and other users can read it: chmod 600 .env',
    })
  if (given('environment').includes('EASYDASH_SECRET_KEYS'))
    findings.push({
      ok: true,
      isWarning: true,
      text: 'The secret keys come from the environment, which programs of the same user can read in /proc for as long as Easydash runs: a file, a systemd credential or a keyring service is safer',
    })
  return findings
}

async function dataFolder(dataDir: string): Promise<Finding> {
  try {
    await openDataDir(dataDir)
    return diskFinding(dataDir, (await diskSpace(dataDir)).free)
  } catch (error) {
    if (error instanceof StartupError) return { ok: false, text: error.message }
    throw error
  }
}

/** Whether the disk of the data folder has enough space; `free` in bytes. */
export function diskFinding(dataDir: string, free: number): Finding {
  const ok = free > gigabyte
  const text = `Data folder ${dataDir}: ${(free / gigabyte).toFixed(1)} GB free`
  return { ok, text: ok ? text : `${text}, at least 1 GB is needed` }
}

/**
 * Hosted sites may be hostile to the dashboard: cookies and storage are shared within one registrable domain, so sites need
 * a different one. Without a public suffix list the last two labels are compared, which errs on the safe side.
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
