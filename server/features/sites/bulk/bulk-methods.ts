import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { BulkRunDoctype } from '#shared/doctypes/bulk-run.ts'
import { phpVersions } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data, json, select } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { pluginUpdates, startedBulkRun } from '#shared/responses/bulk.ts'
import { bulkActionNames, bulkActions, type BulkActionName } from '#shared/rules/bulk-actions.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { maxSelected } from '#shared/rules/max-selected.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { isPluginId } from '#shared/rules/wordpress-changes.ts'
import { addRows, type NewRow } from './bulk-rows.ts'
import { readPluginUpdates } from './plugin-updates.ts'

/** Rows of one list request. */
const pageSize = 500

/** Methods of bulk runs. `soon` makes a new one start. */
export function bulkMethods(soon: () => void): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.site.start_bulk_run',
      access: 'member',
      verbs: ['POST'],
      params: {
        action: select(bulkActionNames, { reqd: true }),
        argument: data({ length: 200 }),
        sites: json<readonly string[]>({ reqd: true }),
      },
      description:
        'Does something on many sites, some at a time. Each site is checked when its turn comes: what the caller can’t do there is skipped.',
      returns: startedBulkRun,
      async run({ action, argument, sites }, { session, documents }) {
        const checked = checkedArgument(action, argument ?? null)
        const names = checkedNames(sites)
        const readable = await readableSites(documents, session, names)
        if (readable.length === 0) throw new AppError('not_found', msg`None of these sites exists.`)
        const { organization } = session
        if (organization === null) throw new AppError('forbidden', msg`Choose an organization first.`)
        const name = await documents.transaction(systemSession('job', organization), async (tx) => {
          const label =
            checked.shown === null ? bulkActions[action].label : `${bulkActions[action].label}: ${checked.shown}`
          const run = await tx.insert(
            BulkRunDoctype,
            { organization, action, argument: checked.value, label, total: readable.length, waiting: readable.length },
            { owner: session.user, activity: false },
          )
          await addRows(tx, run.name, readable)
          tx.afterCommit(soon)
          return run.name
        })
        return { name, skipped: names.length - readable.length }
      },
    }),
    defineMethod({
      name: 'easydash.api.site.plugin_updates',
      access: 'member',
      verbs: ['POST'],
      params: { sites: json<readonly string[]>({ reqd: true }) },
      description:
        'Plugins for which some of these sites know of a newer version, as last read. Only sites the caller can see.',
      returns: pluginUpdates,
      async run({ sites }, { session, documents }) {
        const readable = await readableSites(documents, session, checkedNames(sites))
        const names = readable.map(({ name }) => name)
        const found = await documents.transaction(session, (tx) => readPluginUpdates(tx, names))
        // What a site runs is shown to those only who can change it.
        const changeable = new Set<string>()
        for (const name of new Set(found.flatMap((plugin) => plugin.sites)))
          if ((await documents.permissions(session, 'Site', name)).write === 1) changeable.add(name)
        return found
          .map((plugin) => ({ ...plugin, sites: plugin.sites.filter((name) => changeable.has(name)) }))
          .filter((plugin) => plugin.sites.length > 0)
      },
    }),
  ]
}

function checkedNames(sites: unknown): string[] {
  const isName = (name: unknown): name is string => typeof name === 'string' && name.length <= 140
  if (!Array.isArray(sites) || !sites.every(isName) || sites.length === 0)
    throw new AppError('invalid', msg`Choose at least one site.`, { field: 'sites' })
  const names = [...new Set(sites)]
  if (names.length > maxSelected)
    throw new AppError('invalid', msg`Choose at most ${maxSelected} sites.`, { field: 'sites' })
  return names
}

/** The argument as stored, and as shown in the label. */
function checkedArgument(action: BulkActionName, value: string | null): { value: string | null; shown: string | null } {
  const isValid =
    action === 'set_php_version'
      ? value !== null && isOneOf(phpVersions, value)
      : action === 'update_plugin'
        ? value !== null && isPluginId(value)
        : action !== 'archive' || ['', '0', '1'].includes(value ?? '')
  if (!isValid) throw new AppError('invalid', msg`This is not a valid value.`, { field: 'argument' })
  if (bulkActions[action].arg === null) return { value: null, shown: null }
  // A backup before is among the steps of each site.
  if (action === 'archive') return { value: value === '1' ? value : null, shown: null }
  return { value, shown: action === 'update_plugin' ? (value?.split('/')[0] ?? null) : value }
}

/** Those of the sites that the caller can see, in the given order. */
async function readableSites(documents: Documents, session: Session, names: readonly string[]): Promise<NewRow[]> {
  const rowByName = new Map<string, NewRow>()
  for (let from = 0; from < names.length; from += pageSize) {
    const rows = await documents.list(session, 'Site', {
      fields: ['name', 'domain', 'title'],
      filters: [['name', 'in', names.slice(from, from + pageSize)]],
      limit: pageSize,
    })
    for (const row of rows) {
      const site = { domain: String(row['domain']), title: typeof row['title'] === 'string' ? row['title'] : null }
      const name = String(row['name'])
      rowByName.set(name, { name, title: siteName(site), address: addressBesideName(site) })
    }
  }
  return names.flatMap((name) => rowByName.get(name) ?? [])
}
