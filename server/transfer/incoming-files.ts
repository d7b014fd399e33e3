import { mkdir, open, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseSiteRecord } from '#server/engines/local/sites/site-record.ts'
import { writeJson } from '#server/engines/local/sites/site-store.ts'
import type { TarHeader, TarSink } from '#server/platform/files/tar.ts'
import { invalidArchive } from './archive-errors.ts'
import { textSink, type Content } from './read-members.ts'

/** Writes uploads and sites into an empty data folder. */
export interface IncomingFiles {
  /** Returns the destination of a member's bytes. Throws for an order of members that no export writes. */
  sinkFor(member: Exclude<Content, { kind: 'rows' }>, header: TarHeader): Promise<TarSink | null>
  readonly counts: { readonly files: number; readonly sites: number }
}

/** Only new files and folders are created: nothing is replaced, and no links are created. */
export function incomingFiles(dataDir: string): IncomingFiles {
  const counts = { files: 0, sites: 0 }
  let site: string | null = null

  async function upload(folder: string, name: string, header: TarHeader): Promise<TarSink> {
    counts.files += 1
    const path = join(dataDir, 'files', folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return fileSink(path, { ...header, mode: 0o600 })
  }

  return {
    counts,
    async sinkFor(member, header) {
      if (member.kind === 'file') return upload(member.folder, member.name, header)
      const folder = join(dataDir, 'local', 'sites', member.id)
      if (member.path === 'site.json') {
        counts.sites += 1
        site = member.id
        await mkdir(dirname(folder), { recursive: true })
        await mkdir(folder, { mode: 0o700 })
        // When started as root, the engine assigns it a user of this machine and changes the owner of its files before it
        // runs.
        return textSink(header, (text) =>
          writeJson(join(folder, 'site.json'), { ...recordOf(text, member.id), uid: null }),
        )
      }
      if (site !== member.id) throw invalidArchive('a piece of a site before the site')
      const path = join(folder, member.path)
      const mode = header.mode & 0o777
      if (member.path === 'archive.tar.zst') return fileSink(path, { ...header, mode: 0o600 })
      if (header.type === 'file') return fileSink(path, { ...header, mode })
      // Where everything belongs to one user, a folder without write permission for its owner could not be filled.
      await mkdir(path, { mode: mode | 0o700 })
      return null
    },
  }
}

function recordOf(text: string, id: string): object {
  try {
    return parseSiteRecord(text, id)
  } catch {
    throw invalidArchive(`a site ${id} whose record is none`)
  }
}

async function fileSink(path: string, { mode, mtime }: TarHeader): Promise<TarSink> {
  const file = await open(path, 'wx', mode)
  return {
    async write(chunk) {
      await file.writeFile(chunk)
    },
    async end() {
      await file.chmod(mode)
      await file.close()
      await utimes(path, mtime, mtime)
    },
  }
}
