import { constants } from 'node:fs'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { MysqlAccount } from './mysql-folder.ts'

const prefixOf = (home: string): string => `.${basename(home)}-init-`

/**
 * Writes the statements a server begins with, which have its password, in a new folder beside `home`. The server's account
 * owns `home`: a file there could be exchanged for another one, or for a link. This folder is ours, and the account can do no
 * more than read the file.
 * @returns its path
 */
export async function writeInitFile(home: string, sql: string, account: MysqlAccount): Promise<string> {
  await removeInitFiles(home)
  const folder = await mkdtemp(join(dirname(home), prefixOf(home)))
  const path = join(folder, 'init.sql')
  const parent = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
    const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      await file.writeFile(sql)
      if (account !== null) await file.chown(account.uid, account.gid)
      await file.chmod(0o400)
    } finally {
      await file.close()
    }
    // Entered by the account, and listed by nobody else.
    if (account !== null) await parent.chmod(0o711)
  } finally {
    await parent.close()
  }
  return path
}

/** Removes them, also those of a process that was killed while its server started. */
export async function removeInitFiles(home: string): Promise<void> {
  for (const name of await readdir(dirname(home)))
    if (name.startsWith(prefixOf(home))) await rm(join(dirname(home), name), { recursive: true, force: true })
}
