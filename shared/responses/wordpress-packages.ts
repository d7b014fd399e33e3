import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** What an uploaded ZIP file contains. Name and version are from the file, which can say anything. */
export const stagedPackage = z.object({
  type: z.enum(['plugin', 'theme']),
  name: z.string().check(z.maxLength(200)),
  version: z.string().check(z.maxLength(40)),
  installed: described(
    z.nullable(z.string().check(z.maxLength(40))),
    'Version of the plugin or theme that the site has in the same folder, and that it would replace; null: none',
  ),
})

/** See `stagedPackage`. */
export type StagedPackage = z.infer<typeof stagedPackage>

/** The same with the name that installing it takes. */
export const uploadedPackage = z.extend(stagedPackage, { package: z.string() })
