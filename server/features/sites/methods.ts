import type { Documents } from '#server/contracts/documents.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { mayInsert } from '#server/documents/documents.ts'
import { capabilityNames, type Capability } from '#server/engines/engine.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import { serverRef } from '#server/engines/site-ref.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { engineCapabilities, phpVersions } from '#shared/responses/engine.ts'
import { domainLookUp } from '#shared/responses/site-domains.ts'
import { parseSiteDomain } from '#shared/rules/site-domains.ts'
import type { SitesDeps } from './deps.ts'
import { lookUpDomain } from './domains/look-up-domain.ts'
import { engineFor, findEngine } from './engine-of.ts'

const typeByName = typesByName(doctypes)

/** Methods that describe the engines to the create form and action buttons. */
export function siteMethods(deps: SitesDeps): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.site.php.get_versions',
      access: 'verified',
      tokens: 'sites:read',
      verbs: ['GET', 'POST'],
      params: { server: data() },
      description:
        'PHP versions a site can be created with, ascending: of a server, else of all engines of this installation.',
      returns: phpVersions,
      async run(params, { session, documents }) {
        if (params.server) {
          const server = await readServer(documents, session, params.server)
          return engineFor(deps.engines, server).phpVersions(serverRef(server))
        }
        const all = Object.values(deps.engines).flatMap((engine) => engine.phpVersions(null))
        return [...new Set(all)].toSorted((a, b) => Number(a) - Number(b))
      },
    }),
    defineMethod({
      name: 'easydash.api.site.look_up_domain',
      access: 'member',
      tokens: 'sites:read',
      verbs: ['GET', 'POST'],
      params: { server: data({ reqd: true }), domain: data({ reqd: true, length: 300 }) },
      description:
        'Whether a domain leads to a server already, by its DNS records; for those who can create a site there with the records.',
      returns: domainLookUp,
      async run({ server, domain }, { session, documents }) {
        const stored = await readServer(documents, session, server)
        const parsed = parseSiteDomain(domain, { sitesDomain: null, dashboardHost: deps.dashboardHost ?? '' })
        if ('problem' in parsed) throw new AppError('invalid', parsed.problem, { field: 'domain' })
        const found = await lookUpDomain(parsed.domain, stored)
        // Addresses of servers are no list columns: members read them only where they point domains at.
        if (await mayCreateSite(documents, session, stored)) return found
        return { state: found.state, expected: [], found: [] }
      },
    }),
    defineMethod({
      name: 'easydash.api.engine.capabilities',
      access: 'member',
      tokens: 'sites:read',
      verbs: ['GET', 'POST'],
      params: { server: data({ reqd: true }) },
      description: 'What the engine of a server can do; what it cannot, with the reason.',
      returns: engineCapabilities,
      async run(params, { session, documents }) {
        const stored = await readServer(documents, session, params.server)
        const engine = findEngine(deps.engines, stored)
        if (!engine) {
          const capabilities = withoutEngine(stored)
          return { engine: stored.engine ?? '', php_versions: [], site_names: 'domain' as const, capabilities }
        }
        const server = serverRef(stored)
        return {
          engine: engine.name,
          php_versions: [...engine.phpVersions(server)],
          site_names: engine.siteNames,
          capabilities: { ...capabilitiesOf(engine, server), ...(isMeasuredBySsh(stored) ? { facts: supported } : {}) },
        }
      },
    }),
  ]
}

const supported: Capability = { supported: true }

/** Servers are measured by their own feature, whatever their engine can. */
const isMeasuredBySsh = ({ engine_host, ssh_host_key }: Server): boolean =>
  engine_host === null && ssh_host_key !== null

/** Of a server that no engine of this installation works on; one that is connected by SSH can be measured. */
function withoutEngine(stored: Server) {
  const reason =
    stored.ssh_host_key === null
      ? 'Nothing connects to this server yet.'
      : 'Easydash cannot run sites on this server yet.'
  return Object.fromEntries(
    capabilityNames.map((name): [string, Capability] => [
      name,
      name === 'facts' && isMeasuredBySsh(stored) ? supported : { supported: false, reason },
    ]),
  )
}

/** Whether the caller's role allows sites on a server. */
function mayCreateSite(documents: Documents, session: Session, { name, organization }: Server): Promise<boolean> {
  return documents.transaction(session, (tx) =>
    mayInsert({ db: tx.trx, session, typeByName }, SiteDoctype, { server: name, organization }),
  )
}

/** A server the caller may read. Members cannot read the engine field, so it comes from the stored row. */
async function readServer(documents: Documents, session: Session, name: string): Promise<Server> {
  await documents.get(session, 'Server', name)
  const server = await documents.transaction(session, (tx) => tx.get(ServerDoctype, name))
  if (!server) throw new AppError('not_found', msg`Server ${name.slice(0, 140)} not found`)
  return server
}
