import type { Documents } from '#server/contracts/documents.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import type { WpCloud, WpCloudListed } from '#server/providers/wpcloud/wpcloud.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { data, json } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { wpcImported, wpcOptions, wpcUnmanaged } from '#shared/responses/wpc-sites.ts'
import type { WpcContext } from './wpc-context.ts'

const connectionParam = data({ description: 'Name of a connection; default: the organization’s default one.' })
const prefix = 'easydash.easydash.doctype.wpc_site.wpc_site'

/** Most sites that one call adds. */
const mostAdded = 200

/** Methods that are about an account at WP Cloud, not about one site. */
export function wpcMethods(context: WpcContext): Method[] {
  const open = openAccount(context)
  return [
    defineMethod({
      name: `${prefix}.get_options`,
      access: 'member',
      verbs: ['POST'],
      tokens: 'sites:read',
      params: { connection: connectionParam },
      description: 'Data centers and PHP versions that WP Cloud offers for new sites.',
      returns: wpcOptions,
      async run({ connection = null }, { session, documents }) {
        const cloud = await open(documents, session, { right: 'write', connection })
        const versions = await cloud.phpVersions()
        return {
          data_centers: [...(await cloud.dataCenters())],
          php_versions: versions.map(({ version, isDefault, until }) => ({ version, is_default: isDefault, until })),
        }
      },
    }),
    defineMethod({
      name: `${prefix}.list_unmanaged`,
      access: 'member',
      verbs: ['POST'],
      tokens: 'sites:read',
      params: { connection: connectionParam },
      description: 'Sites of an account at WP Cloud that the organization does not have here yet.',
      returns: wpcUnmanaged,
      async run({ connection = null }, { session, documents }) {
        const cloud = await open(documents, session, { right: 'create', connection })
        const found = await unmanaged(documents, session, cloud)
        return found.map(({ id, domain }) => ({ atomic_site_id: id, domain }))
      },
    }),
    defineMethod({
      name: `${prefix}.import_sites`,
      access: 'member',
      verbs: ['POST'],
      tokens: 'sites:write',
      params: {
        connection: connectionParam,
        sites: json<string[]>({
          reqd: true,
          is_list: 'texts',
          description: 'Their ids, as `list_unmanaged` has them.',
        }),
      },
      description: 'Adds sites of an account at WP Cloud to the organization. Nothing is changed there.',
      returns: wpcImported,
      run: ({ connection = null, sites }, { session, documents }) =>
        importSites({ documents, session, open, connection, wanted: new Set(sites) }),
    }),
  ]
}

type OpenAccount = (
  documents: Documents,
  session: Session,
  asked: { readonly right: 'write' | 'create'; readonly connection: string | null },
) => Promise<WpCloud>

const openAccount =
  ({ deps }: WpcContext): OpenAccount =>
  async (documents, session, { right, connection }) => {
    const permissions = await documents.permissions(session, 'WPC Site', null)
    if (permissions[right] !== 1)
      throw new AppError('forbidden', msg`Only people who can change sites at WP Cloud can see what it has.`)
    const account = { organization: session.organization ?? '', connection }
    return documents.transaction(session, (tx) => deps.wpCloudOf(tx, account))
  }

async function unmanaged(documents: Documents, session: Session, cloud: WpCloud): Promise<WpCloudListed[]> {
  const all = await cloud.list()
  const here = await documents.transaction(session, (tx) =>
    tx.listFields(WpcSiteDoctype, ['atomic_site_id'], [['organization', '=', session.organization]]),
  )
  const known = new Set(here.map(({ atomic_site_id: id }) => id))
  return all.filter(({ id }) => !known.has(id))
}

/** Each in a transaction of its own: one that cannot be added does not keep the others out. */
async function importSites({
  documents,
  session,
  open,
  connection,
  wanted,
}: {
  documents: Documents
  session: Session
  open: OpenAccount
  connection: string | null
  wanted: ReadonlySet<string>
}) {
  if (wanted.size > mostAdded)
    throw new AppError('invalid', msg`At most ${mostAdded} sites are added at once.`, { field: 'sites' })
  const cloud = await open(documents, session, { right: 'create', connection })
  const found = (await unmanaged(documents, session, cloud)).filter(({ id }) => wanted.has(id))
  const added: string[] = []
  const failed: { domain: string; message: string }[] = []
  for (const { id, domain } of found) {
    try {
      const site = await documents.transaction(session, (tx) =>
        tx.insert(
          WpcSiteDoctype,
          { organization: session.organization ?? '', domain, connection, atomic_site_id: id, is_ordered: 1 },
          { owner: session.user },
        ),
      )
      added.push(site.name)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      failed.push({ domain, message: error.message })
    }
  }
  return { added, failed }
}
