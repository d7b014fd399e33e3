import type { FastifyPluginCallback } from 'fastify'
import type { WireServices } from '../options.ts'
import { pageNotFound } from '../response/page-not-found.ts'
import { methodRoutes } from './method-routes.ts'
import { resourceRoutes } from './resource-routes.ts'
import { frappeVerbs } from './routing.ts'

/** Frappe's API, with and without the version in the path. */
export const apiRoutes: FastifyPluginCallback<{ services: WireServices }> = (app, { services }, done) => {
  for (const prefix of ['/api', '/api/v1']) {
    app.register(methodRoutes, { prefix, services })
    app.register(resourceRoutes, { prefix, services })
  }
  for (const url of ['/api', '/api/*']) {
    app.route({
      method: frappeVerbs,
      url,
      config: { api: 'nothing' },
      handler: () => {
        throw pageNotFound()
      },
    })
  }
  done()
}
