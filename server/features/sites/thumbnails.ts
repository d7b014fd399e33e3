import { Readable } from 'node:stream'
import { download, type Download } from '#server/contracts/files.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { binary } from '#shared/schema.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from './deps.ts'
import { requireCapability } from './engine-of.ts'
import { readThumbnail, writeThumbnail, requestThumbnail, type StoredThumbnail } from './thumbnail-table.ts'

/** Browser cache lifetime in seconds; a new image has a new URL. */
const maxAgeSeconds = 3_600

/** A stored thumbnail as a file. */
export const thumbnailDownload = (fileName: string, { content, tag }: StoredThumbnail): Download =>
  download({
    fileName,
    contentType: 'image/webp',
    length: content.length,
    tag,
    maxAgeSeconds,
    open: ({ start, end } = { start: 0, end: content.length - 1 }) => Readable.from([content.subarray(start, end + 1)]),
  })

/** The action that requests a new thumbnail. The store checks state and permissions first. */
export function thumbnailActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async take_picture(site, _args, { tx }) {
        await requireCapability(deps, tx, site, 'thumbnail')
        await requestThumbnail(tx, site.name, formatTimestamp((deps.clock ?? systemClock).now()), true)
        // Also notifies the process on the site's machine.
        await writeThumbnail(tx, site, { problem: null })
        return null
      },
    },
  })
}

/** Serves a site's thumbnail to callers who may read the site. */
export function thumbnailMethod(deps: SitesDeps): Method {
  return defineMethod({
    name: 'easydash.api.site.thumbnail',
    access: 'verified',
    tokens: 'sites:read',
    verbs: ['GET'],
    params: {
      site: data({ reqd: true }),
      v: data({ description: 'Version of the thumbnail, so that each version has its own URL.' }),
    },
    description: 'Thumbnail of a site’s homepage, at the address in the field `thumbnail` of the site addresses it.',
    returns: binary,
    async run(params, { session, documents }) {
      const { name, domain } = await documents.get(session, SiteDoctype, params.site)
      const thumbnail = await deps.documents().transaction(systemSession('schedule'), (tx) => readThumbnail(tx, name))
      if (!thumbnail) throw new AppError('not_found', msg`This site has no screenshot yet.`)
      return thumbnailDownload(`${domain}.webp`, thumbnail)
    },
  })
}
