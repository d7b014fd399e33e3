import { resolve } from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { tableName, writeActivities } from '#server/documents/documents.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { describeConfig, type Config } from '#server/platform/config/config.ts'
import { lockDataDir } from '#server/platform/config/data-dir.ts'
import type { Database, Db } from '#server/platform/database/database.ts'
import { loadKeyring, settingOf } from '#server/platform/secrets/keyring-source.ts'
import { machineId } from '#server/platform/processes/machine-id.ts'
import { schemaIsCurrent } from '#server/platform/database/migrations.ts'
import { MASK } from '#server/platform/log/redact-text.ts'
import { redact } from '#server/platform/log/redact.ts'
import { createSecrets } from '#server/platform/secrets/secrets.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { onlyMachine } from '#server/services.ts'
import { migrate, schemaVersion } from '#server/tables.ts'
import { exportInstance } from '#server/transfer/export.ts'
import type { ExcludedSite, Manifest } from '#server/transfer/format.ts'
import { checkArchive, importInstance, type ArchiveDetails } from '#server/transfer/import.ts'
import { archiveSummary, excludedSitesText } from '#server/transfer/excluded-sites.ts'
import { importAction } from '#server/transfer/unfinished-import.ts'
import { version } from '#server/version.ts'

/** Usage of the commands. */
export const exportUsage = 'export FILE [--without SITE]…'
export const importUsage = 'import FILE [--check]'

type Print = (line: string) => void

/** The single file and the options in a command's arguments. Throws `StartupError` for anything else. */
function argumentsOf<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], usage: string, options: T) {
  const wrong = (message: string) => new StartupError(message, `Usage: npm run easydash -- ${usage}`)
  const parsed = (() => {
    try {
      return parseArgs({ args, options, allowPositionals: true })
    } catch (error) {
      throw wrong(error instanceof Error ? error.message : String(error))
    }
  })()
  const [file] = parsed.positionals
  if (file === undefined || parsed.positionals.length > 1) throw wrong('One file must be named.')
  // npm runs scripts in the project folder; the user may be in another one.
  return { file: resolve(process.env['INIT_CWD'] ?? process.cwd(), file), values: parsed.values }
}

/** Runs work that Ctrl+C stops gracefully, leaving nothing half-done. */
async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const stop = () => stopping.abort(new StartupError('Interrupted.', 'Nothing was left behind; run it again.'))
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, stop)
  try {
    return await work(stopping.signal)
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}

/** Details of this installation, as stored in archives. */
async function installationDetails(config: Config): Promise<Pick<Manifest, 'schema' | 'machine'>> {
  return {
    schema: { version: schemaVersion },
    machine: config.databaseUrl === null ? onlyMachine : await machineId(config.dataDir),
  }
}

async function recordActivity(trx: Db, entry: ActivityEntry): Promise<void> {
  const session = systemSession('terminal')
  await writeActivities({ trx, session, type: ActivityDoctype, mask: redact, tookMs: 0 }, [entry])
}

/**
 * `export FILE`: exports the whole installation into one archive, also while it runs. Resolves to whether it is complete.
 */
export async function exportCommand(
  args: string[],
  config: Config,
  database: Database,
  print: Print,
): Promise<boolean> {
  const { file: target, values } = argumentsOf(args, exportUsage, {
    without: { type: 'string', multiple: true, default: [] },
  })
  const { without } = values
  if (!(await schemaIsCurrent(database.db, schemaVersion)))
    throw new StartupError(
      'There is nothing to export: the database is empty, or of another release.',
      'Start Easydash once, or run "migrate", then export.',
    )
  // Rejects keys that don't belong to the database: nobody could use such an archive.
  await createSecrets({ database, source: config })
  const ring = await loadKeyring(config, false)
  const given = describeConfig(config).filter(({ source: from, value }) => from !== 'default' && value !== MASK)
  const about = {
    version,
    ...(await installationDetails(config)),
    settings: Object.fromEntries(given.map(({ name, value }) => [name, value])),
  }
  await database.db
    .transaction()
    .execute((trx) =>
      recordActivity(trx, { action: 'Installation.export', organization: null, result: 'Started', after: { without } }),
    )
  const report = await interruptible((signal) =>
    exportInstance({ database, dataDir: config.dataDir, ring, target, without, about, print, signal }),
  )
  const setting = settingOf(config)
  const megabytes = (report.bytes / 2 ** 20).toFixed(1)
  print(
    `Exported ${report.rows} rows, ${report.files} uploads and ${report.sites} sites to ${target} (${megabytes} MB).`,
  )
  print(
    setting === null
      ? `It is encrypted with the keys in ${config.dataDir}/keys: keep a copy of that file in another location.`
      : `It is encrypted with the keys of ${setting}: keep a copy of them in another location.`,
  )
  return reportExcludedSites(report.without, print)
}

/** The last line of both commands if files are excluded. Returns whether none are. */
function reportExcludedSites(sites: readonly ExcludedSite[], print: Print): boolean {
  if (sites.length > 0) print(excludedSitesText(sites))
  return sites.length === 0
}

const importOptions = { check: { type: 'boolean', default: false } } as const

/** Whether the arguments of `import` ask only for a check, which needs no database. */
export function isImportCheck(args: string[]): boolean {
  return argumentsOf(args, importUsage, importOptions).values.check
}

/**
 * `import FILE`: imports an archive into an empty installation. Resolves to whether it contains the files of all its sites.
 */
export async function importCommand(
  args: string[],
  config: Config,
  database: Database,
  print: Print,
): Promise<boolean> {
  const { file: source } = argumentsOf(args, importUsage, importOptions)
  const release = await lockDataDir(config.dataDir)
  try {
    await migrate(database)
    const ring = await loadKeyring(config, false)
    const here = await installationDetails(config)
    const archive = await interruptible((signal) =>
      importInstance({
        database,
        dataDir: config.dataDir,
        ring,
        source,
        here,
        seeded: doctypes.filter(({ seeded }) => seeded).map(({ name }) => tableName(name)),
        record: (trx, after) => recordActivity(trx, { action: importAction, organization: null, after: { ...after } }),
        print,
        signal,
      }),
    )
    print(`Imported ${contentOf(archive)}.`)
    for (const line of otherSettings(archive.manifest, config)) print(line)
    print('All users must log in again. Run "audit verify" to prove the activity log, then start Easydash.')
    return reportExcludedSites(archive.manifest.without, print)
  } finally {
    await release()
  }
}

/**
 * `import FILE --check`: reads an archive to its end, with neither the database nor the lock of the data folder, so also
 * beside a running installation. Resolves to whether it contains the files of all its sites.
 */
export async function importCheckCommand(args: string[], config: Config, print: Print): Promise<boolean> {
  const { file: source } = argumentsOf(args, importUsage, importOptions)
  const ring = await loadKeyring(config, false)
  const here = { schema: { version: schemaVersion }, machine: onlyMachine }
  const archive = await interruptible((signal) => checkArchive({ ring, source, here, signal }))
  print(`${archiveSummary(archive.manifest)}: ${contentOf(archive)}.`)
  for (const line of otherSettings(archive.manifest, config)) print(line)
  return reportExcludedSites(archive.manifest.without, print)
}

function contentOf({ manifest, rows, files, sites }: ArchiveDetails): string {
  return `${rows} rows, ${files} uploads and ${sites} sites of ${manifest.made}, Easydash ${manifest.version}`
}

/** Settings that differ from those of the exporting installation; an import changes none. */
function otherSettings({ settings }: Manifest, config: Config): string[] {
  const own = new Map(describeConfig(config).map(({ name, value }) => [name, value]))
  const places = ['EASYDASH_DATA_DIR', 'EASYDASH_CACHE_DIR']
  return Object.entries(settings)
    .filter(([name, value]) => !places.includes(name) && own.has(name) && own.get(name) !== value)
    .map(([name, value]) => `There ${name} was ${value}; here it is ${own.get(name)}.`)
}
