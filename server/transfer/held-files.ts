import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'

/** Name of the folder of an export under way; a number follows. Hidden: nobody calls an archive of theirs so. */
const prefix = '.export-'

/** A new folder for an export's own use. Nobody else exports: what others left there is removed. */
export async function openSpool(dataDir: string): Promise<string> {
  for (const name of await readdir(dataDir)) {
    const isSpool = name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))
    if (isSpool) await removeTree(join(dataDir, name))
  }
  const spool = join(dataDir, `${prefix}${process.pid}`)
  await mkdir(join(spool, 'files'), { recursive: true, mode: 0o700 })
  return spool
}

/**
 * Holds the contents of all uploads that a snapshot of the database knows: a second name for each, so that none vanishes
 * while they are read. Returns the stored names it found nothing for.
 */
export async function holdFiles(snapshot: pg.ClientBase, dataDir: string, spool: string): Promise<string[]> {
  const missing: string[] = []
  let after = ''
  for (;;) {
    const { rows } = await snapshot.query<{ name: string }>(
      'select stored_name as name from tab_file where stored_name > $1 order by stored_name limit 1000',
      [after],
    )
    for (const { name } of rows) if (!(await hold(dataDir, spool, name))) missing.push(name)
    const last = rows.at(-1)
    if (!last) return missing
    after = last.name
  }
}

async function hold(dataDir: string, spool: string, name: string): Promise<boolean> {
  const from = join(dataDir, 'files', name.slice(0, 2), name)
  const to = join(spool, 'files', name)
  try {
    await link(from, to)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return false
    // A folder on another disk, or a file system without second names.
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'].includes(code)) throw error
    return copyFile(from, to).then(
      () => true,
      (reason: unknown) => {
        if (systemErrorCode(reason) === 'ENOENT') return false
        throw reason
      },
    )
  }
  return true
}

/** Stored names of the held contents. */
export async function heldFiles(spool: string): Promise<string[]> {
  return (await readdir(join(spool, 'files'))).toSorted()
}
