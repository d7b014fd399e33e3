import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

const path = z.string().check(z.maxLength(300))
const paths = z.array(path).check(z.maxLength(100))

/** Reasons why a plugin or theme was not compared. */
export const uncheckedReasons = ['unknown', 'offline', 'too_many'] as const

/** How the files of one plugin or theme compare with the original. */
export const packageChecksum = z.object({
  type: z.enum(['plugin', 'theme']),
  id: described(path, 'Folder, or file of a plugin that is a single one'),
  name: path,
  version: z.string().check(z.maxLength(40)),
  source: described(
    z.nullable(z.enum(['wordpress.org', 'installed', 'uploaded', 'bundled'])),
    'What it was compared with: checksums that wordpress.org publishes, the package from there or the uploaded one as it was when it was installed, or what comes with WordPress; null: with nothing',
  ),
  unchecked: described(
    z.nullable(z.enum(uncheckedReasons)),
    'Why it was not compared: no checksums are known, wordpress.org could not be asked, or it has too many files',
  ),
  restorable: described(
    z.boolean(),
    'Its original files can be put back: the package is kept, or the server can download it again',
  ),
  checked: described(z.int(), 'Number of files compared'),
  changed: paths,
  added: paths,
  missing: paths,
  truncated: z.boolean(),
})

/** How the files of one plugin or theme compare with the original. */
export type PackageChecksum = z.infer<typeof packageChecksum>

/** All plugins and themes of a site. */
export const packageChecksums = z.array(packageChecksum).check(z.maxLength(500))

/** The last comparison of plugins and themes of a site; null if there was none. */
export const storedPackageChecksums = z.object({
  packages: z.nullable(packageChecksums),
  measured_at: z.nullable(timestamp),
})

/** Whether files differ. */
export function isModified({
  changed,
  added,
  missing,
}: Pick<PackageChecksum, 'changed' | 'added' | 'missing'>): boolean {
  return changed.length + added.length + missing.length > 0
}
