import { execFileSync } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import type { SiteFiles } from '#server/engines/site-files.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'

/** What a hostile site can leave in its folder `h`, which is at `folder`: links to what is in `outside`, and a pipe. */
export async function leaveTraps(folder: string, outside: string): Promise<void> {
  await symlink(join(outside, 'secret'), join(folder, 'file-link'))
  await symlink(outside, join(folder, 'folder-link'))
  execFileSync('mkfifo', [join(folder, 'fifo')])
}

/** All that an engine must refuse to do with these. `work` is a folder of the test, `page` a file of the site. */
export async function attacksOn(
  files: SiteFiles,
  site: SiteRef,
  { work, page }: { work: string; page: string },
): Promise<(() => Promise<unknown>)[]> {
  const upload = join(work, 'link.zip')
  await writeFile(upload, makeZip([{ name: 'folder-link/evil', content: Buffer.from('x') }]))
  await files.put(site, 'h/link.zip', upload, false)
  const signal = AbortSignal.timeout(300_000)
  return [
    () => files.read(site, 'h/file-link'),
    () => files.read(site, 'h/fifo'),
    () => files.read(site, 'h/folder-link/secret'),
    () => files.open(site, 'h/file-link'),
    () => files.open(site, 'h/fifo'),
    () => files.open(site, 'h/folder-link/secret'),
    () => files.list(site, 'h/folder-link'),
    () => files.write(site, 'h/folder-link/new', 'x', null),
    () => files.write(site, 'h/file-link', 'x', null),
    () => files.write(site, 'h/file-link', 'x', 'f'.repeat(32)),
    () => files.put(site, 'h/folder-link/new', upload, true),
    () => files.makeFolder(site, 'h/folder-link/new'),
    () => files.copy(site, 'h/file-link', 'h/copy'),
    () => files.copy(site, 'h/fifo', 'h/copy'),
    () => files.move(site, [{ from: page, to: `h/folder-link/${page}` }]),
    () => files.remove(site, ['h/folder-link/secret']),
    () => files.pack(site, ['h/folder-link/secret']),
    () => files.packInto(site, ['h/fifo'], 'h/folder-link/new.zip', { signal }),
    () => files.unpack(site, 'h/link.zip', { into: 'h/folder-link', replace: true, signal }),
    () => files.unpack(site, 'h/link.zip', { into: 'h', replace: true, signal }),
  ]
}
