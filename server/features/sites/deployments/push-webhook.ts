import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { parseJson } from '#shared/parse-json.ts'
import { isRepository } from '#shared/rules/repositories.ts'
import type { SitesDeps } from '../deps.ts'
import { startDue } from './due-deployments.ts'

/** A push with all of its commits; what is deployed is read from GitHub. */
const bodyLimit = 2 * 1024 * 1024

const event = z.object({
  ref: z.optional(z.string()),
  deleted: z.optional(z.boolean()),
  repository: z.object({ full_name: z.string().check(z.refine(isRepository)) }),
})

const answer = (status: number, body: object) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** What GitHub signed a body with. */
const signatureOf = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/**
 * Where GitHub tells of pushes. Which sites it can be about says the body, but only those follow whose organization has the secret that
 * it was signed with. Whoever does not have it learns nothing of repositories.
 */
export function pushRoute(deps: SitesDeps): RawRoute {
  return {
    verb: 'POST',
    path: '/webhooks/github',
    bodyLimit,
    rateLimit: { limit: 3000, seconds: 60 },
    async run({ headers, body }) {
      // Sent when a webhook is made, perhaps before a site is connected.
      if (headers['x-github-event'] === 'ping') return answer(200, { message: 'pong' })
      const given = Buffer.from(headers['x-hub-signature-256']?.toString() ?? '')
      const { data: told } = event.safeParse(parseJson(body.toString('utf8')))
      const verified = await verify(deps, told?.repository.full_name ?? '', (secret) => {
        const expected = Buffer.from(signatureOf(secret, body))
        return expected.length === given.length && timingSafeEqual(expected, given)
      })
      if (verified.length === 0) return answer(401, { message: 'The signature is none of a known secret.' })
      const branch = /^refs\/heads\/(.+)$/.exec(told?.ref ?? '')?.[1]
      const isPush = headers['x-github-event'] === 'push' && told?.deleted !== true && branch !== undefined
      const names = isPush ? verified.filter((site) => site.repo_branch === branch).map(({ name }) => name) : []
      if (names.length > 0) {
        await setDue(deps, names)
        await startDue(deps)
      }
      return answer(202, { received: true })
    },
  }
}

/** The sites with a repository whose organizations have a secret that fits. */
async function verify(deps: SitesDeps, repository: string, fits: (secret: string) => boolean) {
  return deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const sites = await tx.listFields(
      SiteDoctype,
      ['name', 'organization', 'repo_branch'],
      [
        ['repository', '=', repository],
        ['status', '!=', 'Archived'],
      ],
    )
    const verified = new Set<string>()
    for (const organization of new Set(sites.map((site) => site.organization))) {
      const secret = await deps.gitHubSecretOf(tx, organization)
      if (secret !== null && fits(secret)) verified.add(organization)
    }
    return sites.filter(({ organization }) => verified.has(organization))
  })
}

async function setDue({ documents, clock = systemClock }: SitesDeps, sites: readonly string[]): Promise<void> {
  const deploy_due = formatTimestamp(clock.now())
  await documents().transaction(systemSession('schedule'), async (tx) => {
    for (const name of sites) await tx.updateColumns(SiteDoctype, name, { deploy_due })
  })
}
