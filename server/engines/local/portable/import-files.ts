import { chmod, cp, lchown, mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { exists } from '#server/platform/files/exists.ts'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import { unpackedTar } from '../archives/tar-archive.ts'
import type { LocalContext } from '../local-context.ts'
import { createDatabase } from '../mysql/new-database.ts'
import { copyTree } from '../sites/copy-tree.ts'
import { wpConfig } from '../sites/site-files.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { InspectedArchive } from '../trees/import-task.ts'
import { importedDump } from './import-database.ts'
import { defect, note, readNotes, withDefects } from './import-notes.ts'
import type { KeptArchive } from './import-store.ts'

/** What connects WordPress to SQLite. */
const ownFiles = ['wp-content/db.php', 'wp-content/mu-plugins/sqlite-database-integration']

/** An archive whose files are unpacked. */
interface Imported {
  readonly archive: KeptArchive
  readonly about: InspectedArchive
  /** What differs from its manifest is noted. */
  readonly isBackup: boolean
}

/** Puts the files of an archive together where nobody sees them, then moves them into place. */
export async function importFiles(
  context: LocalContext,
  record: SiteRecord,
  { archive, about, isBackup }: Imported,
  step: StepContext,
): Promise<void> {
  if (record.copied) return
  const { store, trees, owners, storage } = context
  const { signal } = step
  const { www, staging } = store.paths(record.id)
  for (const path of [staging, www]) if (await exists(path)) await trees.run('remove', { paths: [path] }, { signal })
  const { bytes, ...source } = archive
  await mkdir(staging, { mode: 0o700 })
  const unpackedBytes = Math.max(bytes * 2, await sizeOf(unpackedTar(source.parts)))
  if (await isDiskFull(staging, unpackedBytes)) {
    throw new EngineError('unavailable', msg`The disk of this machine has no room for the site.`, {
      nextAction: msg`Make room on the disk, then try again.`,
    })
  }
  const [fresh, beside] = [join(staging, 'www'), join(staging, 'beside')]
  let version: string | null = null
  if (about.plan.siteType === 'wp') version = await placeWordPress(context, record, { fresh, about }, step)
  else await mkdir(fresh)
  await mkdir(beside, { mode: 0o700 })
  const uid = owners.userOf(record)
  if (uid !== null) {
    await trees.run('own', { paths: [fresh], uid }, { signal })
    await lchown(beside, uid, uid)
  }
  const folders = { root: fresh, trash: beside, uid }
  const unpacked = await trees.run(
    'import',
    {
      ...folders,
      ...source,
      dump: importedDump,
      isWhole: record.rehearsal === true,
      isCompared: isBackup,
      limits: storage.limitsOf(record),
    },
    { signal, onProgress: (files) => step.progress(files / (files + 2_000)) },
  )
  step.log(`Unpacked ${unpacked.files} files`)
  if (unpacked.isSameDump === false) {
    throw new EngineError('invalid', msg`The database in the archive is not the one that was exported.`, {
      nextAction: msg`Export the site again.`,
    })
  }
  await rm(beside, { recursive: true, force: true })
  signal.throwIfAborted()
  await rename(fresh, www)
  await rmdir(staging)
  crashPoint('local.import/placed')
  const { count, names } = unpacked.leftOut
  // Exports of ours have none but a configuration for hosts.
  const left =
    count === 0 || about.plan.source === 'easydash'
      ? []
      : [defect('left_out', String(count), names.slice(0, 8).join(', '))]
  const { missingParts, leftOutParts } = about.facts
  left.push(...missingParts.map((name) => defect('part_missing', name)))
  left.push(...leftOutParts.map((name) => defect('part_left_out', name)))
  await note(context, record.id, {
    damaged: unpacked.damaged,
    files: { count: unpacked.files + (about.plan.source === 'easydash' ? count : 0), bytes: unpacked.bytes },
    ...withDefects(await readNotes(context, record.id), ['left_out', 'part_missing', 'part_left_out'], left),
  })
  await store.save({ ...record, copied: true, ...(version === null ? {} : { wordpressVersion: version }) })
  storage.invalidate(record.id)
}

/** The files that don't come from the archive. Returns the version of a WordPress that is put below. */
async function placeWordPress(
  { cores, mysql }: LocalContext,
  record: SiteRecord,
  { fresh, about }: { readonly fresh: string; readonly about: InspectedArchive },
  step: StepContext,
): Promise<string | null> {
  const { plan, facts } = about
  const { core, release } = await cores.hold(step)
  try {
    if (plan.hasCore) {
      await mkdir(join(fresh, 'wp-content', 'mu-plugins'), { recursive: true })
      for (const name of ownFiles) await cp(join(core.files, name), join(fresh, name), { recursive: true })
    } else await copyTree(core.files, fresh, step.signal, () => undefined)
    await mkdir(join(fresh, 'wp-content', 'database'), { recursive: true })
    await chmod(fresh, 0o755)
    const login = record.database === 'mysql' ? await createDatabase(mysql, record.id, fresh) : null
    const prefix = facts.newPrefix ?? facts.prefix ?? undefined
    const { network } = record
    await writeFile(
      join(fresh, 'wp-config.php'),
      wpConfig({
        ...{ prefix, login, constants: about.manifest?.constants },
        network: network === undefined ? null : new URL(network.origin).host,
      }),
    )
    if (plan.hasCore) return null
    step.log(`The archive has no whole WordPress: its content runs on WordPress ${core.version}`)
    return core.version
  } finally {
    await release()
  }
}
