import * as z from 'zod/mini'
import { stepStatuses } from '../doctypes/job.ts'
import { bulkRowStates } from '../rules/bulk-actions.ts'
import { described, linkTo, messageDescriptor, timestamp } from '../schema.ts'

const step = z.object({
  key: z.string(),
  label: z.string(),
  status: z.enum(stepStatuses),
  started: z.nullable(timestamp),
  ended: z.nullable(timestamp),
})

const row = z.object({
  site: described(z.string(), 'Name of the site, whose page is gone if it was deleted'),
  deleted: described(z.boolean(), 'Whether the site was deleted since'),
  title: described(z.string(), 'What it was called when the run was started'),
  address: described(z.nullable(z.string()), 'Its domain then, if it was called something else'),
  state: z.enum(bulkRowStates),
  reason: described(z.nullable(z.string()), 'Why it failed or was skipped, or what it waits for'),
  reason_i18n: z.nullable(messageDescriptor),
  job: z.nullable(linkTo('Job', 'The job of the site, once it was started')),
  started: z.nullable(timestamp),
  ended: z.nullable(timestamp),
  steps: described(z.array(step), 'Steps of its job'),
})

/** The sites of a bulk run in the order in which they get their turn (`rows`). */
export const bulkRows = z.array(row)

/** A site of a bulk run. */
export type BulkRow = z.infer<typeof row>

/** A step of a site's job. */
export type BulkRowStep = z.infer<typeof step>

/** A bulk run that was started. */
export const startedBulkRun = z.object({
  name: linkTo('Bulk Run', 'The bulk run'),
  skipped: described(z.int(), 'Sites that the caller can’t see, or that don’t exist; left out'),
})

const pluginUpdate = z.object({
  plugin: described(z.string(), 'Path of its main file below the folder of plugins'),
  name: z.string(),
  version: described(z.string(), 'Newest version that one of the sites knows of'),
  sites: described(z.array(z.string()), 'Names of the sites that know of a newer version'),
})

/** Plugins for which sites know of a newer version, those of most sites first. */
export const pluginUpdates = z.array(pluginUpdate)

/** A plugin for which sites know of a newer version. */
export type PluginUpdate = z.infer<typeof pluginUpdate>
