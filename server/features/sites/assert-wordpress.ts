import type { Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Returns the site if it is a WordPress. Throws AppError `unsupported` otherwise. */
export function assertWordPress(site: Site): Site {
  if (site.site_type === 'wp') return site
  throw new AppError('unsupported', msg`Only a WordPress site has this.`)
}
