import type { Method } from '#server/documents/types.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { data } from '#shared/fields.ts'
import { listShape, objectShape, textShape } from '#shared/json-schema.ts'
import type { SitesDeps } from './deps.ts'
import { engineFor } from './engine-of.ts'

/** What the create form and the buttons need to know about engines. */
export function siteMethods(deps: SitesDeps): Method[] {
  return [
    {
      name: 'easydash.api.site.php.get_versions',
      access: 'verified',
      tokens: 'sites:read',
      verbs: ['GET', 'POST'],
      params: { server: data() },
      description:
        'PHP versions a site can be created with, ascending: of a server, else of all engines of this installation.',
      returns: listShape(textShape),
      async run(params, { session, documents }) {
        if (params['server']) {
          const server = (await documents.get(session, 'Server', String(params['server']))) as unknown as Server
          return engineFor(deps.engines, server).phpVersions()
        }
        const all = Object.values(deps.engines).flatMap((engine) => engine.phpVersions())
        return [...new Set(all)].toSorted((a, b) => Number(a) - Number(b))
      },
    },
    {
      name: 'easydash.api.engine.capabilities',
      access: 'member',
      tokens: 'sites:read',
      verbs: ['GET', 'POST'],
      params: { server: data({ reqd: true }) },
      description: 'What the engine of a server can do; what it cannot, with the reason.',
      returns: objectShape({
        engine: textShape,
        php_versions: listShape(textShape),
        capabilities: { type: 'object', additionalProperties: true },
      }),
      async run(params, { session, documents }) {
        const server = (await documents.get(session, 'Server', String(params['server']))) as unknown as Server
        const engine = engineFor(deps.engines, server)
        return { engine: engine.name, php_versions: engine.phpVersions(), capabilities: engine.capabilities }
      },
    },
  ]
}
