import { randomBytes } from 'node:crypto'
import * as realFs from 'node:fs/promises'

/** How a file is replaced. */
interface Replacement {
  readonly mode?: number
  /** Who the file belongs to; by default who writes it. */
  readonly owner?: { readonly uid: number; readonly gid: number } | null
  readonly fs?: Pick<typeof realFs, 'open' | 'rename' | 'rm'>
}

/**
 * Replaces a file as a whole and never through a link: after a crash it has the old or the new content. A crash can leave a file
 * beside it whose name ends in `.tmp`; a failure, of a full disk for example, does not.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o600, owner = null, fs = realFs }: Replacement = {},
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const file = await fs.open(temporary, 'wx', mode)
    try {
      await file.writeFile(text)
      if (owner !== null) await file.chown(owner.uid, owner.gid)
      await file.sync()
    } finally {
      await file.close()
    }
    await fs.rename(temporary, path)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  }
}
