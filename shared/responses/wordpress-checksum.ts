import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

const path = z.string().check(z.maxLength(300))
const paths = z.array(path).check(z.maxLength(500))

/** How the files of a site's WordPress compare with the pristine package. */
export const checksumReport = z.object({
  version: z.string().check(z.maxLength(40)),
  source: described(
    z.enum(['wordpress.org', 'package']),
    'What they were compared with: the checksums that wordpress.org publishes, or the package this installation got WordPress from',
  ),
  checked: described(z.int(), 'Number of files compared'),
  changed: paths,
  added: described(paths, 'In the folders of WordPress itself, which should contain nothing else'),
  missing: paths,
  truncated: described(z.boolean(), 'There are more than the lists name'),
})

/** How the files of a site's WordPress compare with the pristine package. */
export type ChecksumReport = z.infer<typeof checksumReport>

/** The last verification of a site; null if there was none. */
export const storedChecksum = z.object({
  report: z.nullable(checksumReport),
  measured_at: z.nullable(timestamp),
})

/** The last verification of a site as `easydash.api.site.checksum` returns it. */
export const siteChecksum = z.object({
  checked_at: described(z.nullable(timestamp), 'Null: it was never verified, and nothing is known'),
  source: z.nullable(checksumReport.shape.source),
  changed: paths,
  added: checksumReport.shape.added,
  missing: paths,
})
