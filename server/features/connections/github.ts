import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { vendorText } from '#server/providers/provider-error.ts'
import { msg } from '#shared/localized-message.ts'
import {
  jsonOf,
  limited,
  unexpectedResult,
  rejectedResult,
  successResult,
  type ConnectionTestResult,
  type ConnectionTest,
} from './connection-test.ts'

/** Team names as people enter them, separated by line breaks or commas. */
function teamNames(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** GitHub reports an exhausted rate limit as 403 and says so in headers. */
function githubResult(response: FetchResponse): ConnectionTestResult {
  const { headers } = response
  if (response.status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined))
    return limited(github, response)
  return rejectedResult(github, response, vendorText(jsonOf(response)?.['message']))
}

/** Reads the user of the token and, if an organization is set, its teams. */
export const github: ConnectionTest = {
  name: 'github',
  vendor: 'GitHub',
  fields: ['bot_github_token', 'bot_github_org_name', 'bot_github_teams'],
  required: ['bot_github_token'],
  async run(values, context) {
    const get = (path: string) =>
      context.ask(new URL(`${context.endpoints.github}${path}`), {
        headers: {
          authorization: `Bearer ${values['bot_github_token']}`,
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
        },
      })
    const response = await get('/user')
    if (response.status !== 200) return githubResult(response)
    const login = vendorText(jsonOf(response)?.['login'])
    if (login === '') return unexpectedResult(this, response)
    const organization = values['bot_github_org_name'] ?? ''
    if (organization === '') return successResult(msg`The token works: logged in as ${login}.`, response)
    const teams = await get(`/orgs/${encodeURIComponent(organization)}/teams?per_page=100`)
    if (teams.status === 404 || (teams.status === 403 && githubResult(teams).outcome === 'wrong_scope'))
      return {
        outcome: 'wrong_scope',
        message: msg`The token works for ${login}, but it does not see the teams of ${organization} (${teams.status}).`,
        advice: msg`Add the account to the organization and give the token the scope read:org.`,
        status: teams.status,
      }
    if (teams.status !== 200) return githubResult(teams)
    const known = namesOf(teams)
    if (known === null) return unexpectedResult(this, teams)
    const unknown = teamNames(values['bot_github_teams'] ?? '').filter((name) => !known.has(name.toLowerCase()))
    // A full page may not be the last one, so a missing name proves nothing.
    if (unknown.length > 0 && known.size < 100)
      return {
        outcome: 'unexpected',
        message: msg`The token works for ${login}, but ${organization} has no team ${unknown}.`,
        advice: msg`Check how the team is written, or ask for access to it.`,
        status: teams.status,
      }
    return successResult(msg`The token works: logged in as ${login}, the teams of ${organization} can be read.`, teams)
  },
}

/** Names and slugs of teams, in lowercase; null if the response is not a list. */
function namesOf(response: FetchResponse): Set<string> | null {
  const list = jsonOf({ ...response, body: Buffer.concat([Buffer.from('{"teams":'), response.body, Buffer.from('}')]) })
  const teams = list?.['teams']
  if (!Array.isArray(teams)) return null
  return new Set(
    teams.flatMap((team: unknown) => {
      const { name, slug } = team as { name?: unknown; slug?: unknown }
      return [name, slug].filter((one) => typeof one === 'string').map((one) => one.toLowerCase())
    }),
  )
}
