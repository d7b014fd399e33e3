import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { msg } from '#shared/localized-message.ts'
import { assertWhole } from '../assert-whole.ts'
import {
  compareConfiguration,
  compareCounts,
  compareDashboard,
  comparePages,
  compareRows,
  notePages,
  TooSlow,
  wasCounted,
  type Found,
} from '../backup-verdict.ts'
import { noBackup } from '../damaged-backup.ts'
import { EngineError, type StepContext } from '../engine.ts'
import { configForHosts, newSalts } from '../host-files.ts'
import { contentCounts, seePages, type PageAnswer } from '../seen-pages.ts'
import type { ContainedProof, ContainedProofs, RehearsalVerdict } from '../site-backups.ts'
import { networkIn, type ManifestSummary } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { unreadable } from '../wordpress-scripts.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { databaseOf } from './inventory.ts'
import { inPhp, phpProgram, phpText } from './php-program.ts'
import { change, look, mutate, outputOf, settle, stop, type ScriptCall } from './remote.ts'
import { noPlaceForDatabase } from './restores.ts'
import { resultIn, scriptSeconds } from './scripts.ts'
import { sendPart } from './send-part.ts'
import { runningSite, workdir } from './swaps.ts'
import { dumpIn, filesIn, manifestIn } from './unpack-archive.ts'

/** Tables that the server counts. */
const maxTables = 500
/** For what is removed: a site can have many files. */
const removingMs = 300_000
/** Seconds that the script `visit` waits for a page. */
const lateSeconds = 60

/** Backups of sites on servers that are tried out there, where the PHP and the MariaDB of the site are. */
export function createEeProofs(context: EeContext): ContainedProofs {
  return {
    async prove(site, proof, step) {
      assertSite(site)
      await contain(context, site, proof, step)
      step.progress(0.8)
      return judge(context, site, proof, step.signal)
    },
    async remove(site, id) {
      assertSite(site)
      await stop(context, site.server, workOf(id))
      outputOf(await change(context, site.server, { ...callOf(site, id, 'remove'), deadlineMs: removingMs }))
    },
  }
}

const workOf = (id: string): string => `ee-${id}-proof`

function callOf(site: SiteRef, id: string, verb: string, more: readonly string[] = []): ScriptCall {
  if (!/^[a-z0-9-]{1,64}$/.test(id)) throw new TypeError(`Not the id of a proof: ${id}`)
  return { script: 'proof', args: [site.domain, id, verb, ...more], isLong: true }
}

/** Makes a site of a backup. What was there of an attempt before is removed. */
async function contain(
  context: EeContext,
  site: SiteRef,
  { id, archive }: ContainedProof,
  { signal, progress, log }: StepContext,
): Promise<void> {
  const { server } = site
  await settle({ context, server, id: workOf(id), signal })
  const { row } = await runningSite(context, site, signal)
  const { manifest, bytes } = await manifestIn(archive)
  if (manifest.type !== row.site_type || manifest.database === null) throw noBackup()
  if (manifest.type !== 'wp' && databaseOf(row) === null) throw noPlaceForDatabase()
  await assertWhole(archive, signal)
  // The dump is there twice for a while: as it was sent, and in the database.
  const room = String(bytes + 2 * manifest.database.bytes)
  outputOf(await change(context, server, { ...callOf(site, id, 'begin', [room]), deadlineMs: removingMs, signal }))
  const send = (name: string, content: AsyncIterable<Buffer>) =>
    sendPart(context, site, { script: 'prove-part', args: [id, name] }, content, signal)
  const files = await send('files.tar.gz', filesIn(archive, manifest.type))
  progress(0.4)
  const dump = await send('database.sql.gz', dumpIn(archive))
  await send('router.php', once(routerFor(manifest)))
  if (manifest.type === 'wp') await send('wp-config.php', once(configFor(manifest)))
  progress(0.6)
  await mutate(context, server, {
    ...callOf(site, id, 'prepare', [files, dump, manifest.type]),
    id: workOf(id),
    signal,
    onLine: log,
    isDone: async () => ['ready', 'unloaded'].includes((await stateOf(context, site, id, signal)).state),
  })
}

const once = (text: string): AsyncIterable<Buffer> => Readable.from([Buffer.from(text)])

const hostOf = ({ url }: ManifestSummary): string => new URL(url).host
const isSecure = ({ url }: ManifestSummary): boolean => url.startsWith('https:')

const routerFor = (manifest: ManifestSummary): string =>
  [
    '<?php',
    `define( 'EASYDASH_HTTPS', '${isSecure(manifest) ? 'on' : ''}' ); define( 'EASYDASH_NAME', ${inPhp(new URL(manifest.url).hostname)} );`,
    phpText('php/router.php'),
  ].join('\n')

/** The server fills in the password. Nothing is to begin by itself. */
function configFor(manifest: ManifestSummary): string {
  const kind = networkIn(manifest)
  const network = kind === null ? null : { host: hostOf(manifest), kind }
  const login = { name: 'easydash', user: 'easydash', password: 'easydash_password', host: '127.0.0.1' }
  const quiet = ['DISABLE_WP_CRON', 'AUTOMATIC_UPDATER_DISABLED', 'WP_HTTP_BLOCK_EXTERNAL']
    .map((name) => `define( '${name}', true );\n`)
    .join('')
  const { table_prefix: prefix, constants = {} } = manifest
  const known = { login, salts: newSalts() }
  return configForHosts({ prefix: prefix ?? 'wp_', network, constants, known }).replace('<?php\n', `<?php\n${quiet}`)
}

async function stateOf(context: EeContext, site: SiteRef, id: string, signal: AbortSignal) {
  const output = outputOf(await look(context, site.server, { ...callOf(site, id, 'state'), signal, maxBytes: 4_096 }))
  const [, state = '', reason = ''] = /^state (begun|ready|unloaded)\n([^]*)$/.exec(output) ?? []
  return { state, reason: reason.trim() }
}

/** A site that was made of a backup, as it is looked at. */
interface Contained {
  readonly manifest: ManifestSummary
  /** Rows of the tables, before code of the site ran. */
  rows(): Promise<ReadonlyMap<string, number>>
  run(script: 'visit' | 'enter' | 'inspect' | 'links', input: Readonly<Record<string, unknown>>): Promise<Result>
}
type Result = Readonly<Record<string, unknown>>

async function judge(
  context: EeContext,
  site: SiteRef,
  { id, archive }: ContainedProof,
  signal: AbortSignal,
): Promise<RehearsalVerdict> {
  const { state, reason } = await stateOf(context, site, id, signal)
  if (state === 'unloaded') {
    const evidence = reason.split('\n').at(-1)?.slice(0, 300) ?? ''
    return { defects: [{ defect: 'The database can’t be loaded', evidence }], seen: [], inconclusive: null }
  }
  const { manifest } = await manifestIn(archive)
  const contained: Contained = {
    manifest,
    async rows() {
      const call = { ...callOf(site, id, 'rows'), deadlineMs: 600_000, signal }
      const lines = outputOf(await look(context, site.server, call)).matchAll(/^(.{1,300})\t(\d{1,15})$/gm)
      return new Map([...lines].map(([, name = '', count]) => [name, Number(count)]))
    },
    async run(script, input) {
      const program = phpProgram({ script, input, workdir, isSecure: isSecure(manifest), domain: hostOf(manifest) })
      const call = { ...callOf(site, id, 'php', [String(scriptSeconds)]), variables: { program }, signal }
      const limits = { deadlineMs: (scriptSeconds + 10) * 1_000, maxBytes: 2_097_152 }
      return resultIn(await look(context, site.server, { ...call, ...limits }))
    },
  }
  const found: Found = { defects: [], seen: [], unjudged: [] }
  await judgeRows(contained, found)
  if (manifest.type === 'wp')
    if (await ofItsCode(found, 'WordPress does not start', () => judgeCounts(contained, found)))
      await ofItsCode(found, 'An administrator can’t log in', () => judgeLogin(contained, found))
  await judgePages(contained, found)
  notePages(manifest, found)
  const { defects, seen, unjudged } = found
  if (defects.length > 0) await assertAlive(context, site, id, signal)
  return { defects, seen, inconclusive: defects.length > 0 ? null : (unjudged[0] ?? null) }
}

/** What a server ended, for example because its memory ran out, says nothing about a backup. */
async function assertAlive(context: EeContext, site: SiteRef, id: string, signal: AbortSignal): Promise<void> {
  const call = { ...callOf(site, id, 'alive'), signal, maxBytes: 4_096 }
  if (outputOf(await look(context, site.server, call)).trim() === 'alive') return
  throw new EngineError('unavailable', msg`The server ended what the backup was tried out in.`, {
    nextAction: msg`Look at the memory of the server, then test the backup again.`,
  })
}

/** Runs a part; false and a defect if the site's code fails. */
async function ofItsCode({ defects }: Found, defect: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const isOfSite = error instanceof EngineError && error.code === 'unavailable' && !error.retryable
    if (!isOfSite) throw error
    defects.push({ defect, evidence: error.message.slice(0, 300) })
    return false
  }
}

async function judgeRows({ manifest, rows }: Contained, found: Found): Promise<void> {
  const now = await rows()
  // Of more tables than are counted, others are there, too.
  const expected = Object.entries(manifest.tables).filter(([name]) => now.size < maxTables || now.has(name))
  compareRows(found, { expected, rowsOf: (name) => now.get(name) ?? null })
}

async function judgeCounts({ manifest, run }: Contained, found: Found): Promise<void> {
  const facts = await run('inspect', { safe: true })
  if (wasCounted(manifest, found)) compareCounts(found, manifest.counts, contentCounts(facts, true))
  const { prefix, home, keys } = await run('links', { safe: true })
  compareConfiguration(found, manifest, { prefix, home, keys, url: manifest.url })
}

async function judgeLogin(contained: Contained, found: Found): Promise<void> {
  const { cookie } = await contained.run('enter', { safe: true, login: `easydash-${randomBytes(6).toString('hex')}` })
  if (typeof cookie !== 'string') throw unreadable()
  try {
    await compareDashboard(found, contained.manifest.url, async (path) => {
      const page = await pageOf(contained, path, cookie)
      if (page.isLate === true) throw new TooSlow()
      return page
    })
  } catch (error) {
    if (!(error instanceof TooSlow)) throw error
    found.unjudged.push(error.message)
  }
}

async function judgePages(contained: Contained, found: Found): Promise<void> {
  const paths = contained.manifest.pages.map(({ path }) => path)
  comparePages(found, contained.manifest, await seePages(paths, (path) => pageOf(contained, path, '')))
}

async function pageOf(
  { run }: Contained,
  path: string,
  cookie: string,
): Promise<PageAnswer & { readonly location: string }> {
  const { status, location, seconds, body } = await run('visit', { path, cookie })
  if (typeof status !== 'number' || typeof location !== 'string' || typeof body !== 'string') throw unreadable()
  const isLate = status === 0 && Number(seconds) >= lateSeconds - 1
  return { status, location, isLate, body: Buffer.from(body, 'base64').toString('utf8') }
}
