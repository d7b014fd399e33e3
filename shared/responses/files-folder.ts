import * as z from 'zod/mini'
import { described } from '../schema.ts'

/** Where the files of a site are (`files_folder`). */
export const filesFolder = z.object({
  folder: described(
    z.nullable(z.string()),
    'Absolute path on the machine of the site; null while the site is not there',
  ),
})
