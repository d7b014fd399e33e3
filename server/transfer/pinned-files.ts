import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'

/** Prefix of the working folder of an export; a number follows. Hidden, so it never collides with a user's archive. */
const prefix = '.export-'

/** Creates a working folder for an export. Only one export runs at a time, so leftovers of others are removed. */
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
 * Hard-links the contents of all uploads in a database snapshot, so that none disappears while they are read. Returns the
 * stored names without content.
 */
export async function pinFiles(snapshot: pg.ClientBase, dataDir: string, spool: string): Promise<string[]> {
  const missing: string[] = []
  let after = ''
  for (;;) {
    const { rows } = await snapshot.query<{ name: string }>(
      'select stored_name as name from tab_file where stored_name > $1 order by stored_name limit 1000',
      [after],
    )
    for (const { name } of rows) if (!(await pinFile(dataDir, spool, name))) missing.push(name)
    const last = rows.at(-1)
    if (!last) return missing
    after = last.name
  }
}

async function pinFile(dataDir: string, spool: string, name: string): Promise<boolean> {
  const from = join(dataDir, 'files', name.slice(0, 2), name)
  const to = join(spool, 'files', name)
  try {
    await link(from, to)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return false
    // A folder on another disk, or a file system without hard links.
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

/** Stored names of the contents pinned by `pinFiles`. */
export async function pinnedFiles(spool: string): Promise<string[]> {
  return (await readdir(join(spool, 'files'))).toSorted()
}
