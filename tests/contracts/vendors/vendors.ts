/** Behavior of each vendor: accepted keys and responses. Facts come from the descriptions in this folder. */
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import type { SimulatedVendor } from '#server/providers/simulator/faults.ts'
import { simulatedBucket, type BucketRight, type BucketState } from '#server/providers/simulator/simulated-bucket.ts'
import { simulatedDigitalOcean } from '#server/providers/simulator/simulated-digitalocean.ts'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedHetzner } from '#server/providers/simulator/simulated-hetzner.ts'
import type { ReceivedRequest, SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { ec2Judge } from './ec2-judge.ts'
import { secretOf } from './keys.ts'
import { openApiJudge, type Judge } from './openapi-judge.ts'
import { s3Judge } from './s3-judge.ts'
import { startVendor, type Simulator } from './simulator.ts'

/** A vendor's test case. */
export interface Case {
  name: ConnectionName
  /** Valid values. */
  good: Record<string, string>
  /** The field that holds the key: an unknown value is a wrong key, `narrow` lacks permissions. */
  secret: string
  start(): Promise<Simulator>
  endpoint: string
  message: string | RegExp
}

const bearer = ({ headers }: ReceivedRequest) => String(headers['authorization'] ?? '').replace(/^Bearer /, '')

/** The response for a valid, a narrow and an unknown key. */
function byKey(
  key: string,
  responses: { right: SimulatedResponse; narrow: SimulatedResponse; unknown: SimulatedResponse },
): SimulatedResponse {
  if (key === secretOf.right) return responses.right
  return key === secretOf.narrow ? responses.narrow : responses.unknown
}

const tokens = { [secretOf.right]: 'full', [secretOf.narrow]: 'none' } as const

/** Starts a simulated cloud provider. */
function startProvider(vendor: SimulatedVendor, judge: Judge): Promise<Simulator> {
  return startVendor((seen) => vendor.respond(seen, null), { judge, busy: vendor.errorOf({ kind: 'rate_limit' }) })
}

/** Hetzner with three servers in the project. */
async function startHetzner(): Promise<Simulator> {
  const vendor = simulatedHetzner({ tokens, now: Date.now })
  for (const name of ['a', 'b', 'c'])
    await vendor.respond(
      {
        method: 'POST',
        path: '/servers',
        headers: { authorization: `Bearer ${secretOf.right}` },
        body: JSON.stringify({ name, server_type: 'cx23', location: 'fsn1', image: 'ubuntu-24.04' }),
      },
      null,
    )
  return startProvider(vendor, openApiJudge('hetzner'))
}

/** Starts a bucket, `backups` in eu-central-1. Narrow keys can only read, unless other rights are given. */
export function startBucket(
  set: (state: BucketState) => void = () => undefined,
  rights: readonly BucketRight[] = ['read'],
): Promise<Simulator> {
  const vendor = simulatedBucket({
    name: 'backups',
    region: 'eu-central-1',
    now: Date.now,
    keys: [
      { accessKey: 'AKIARIGHT', secretKey: secretOf.right },
      { accessKey: 'AKIARIGHT', secretKey: secretOf.narrow, rights },
    ],
  })
  set(vendor.state)
  return startProvider(vendor, s3Judge())
}

const team = (id: number, name: string, slug: string) => ({
  id,
  node_id: `T_${id}`,
  name,
  slug,
  description: null,
  privacy: 'closed',
  permission: 'pull',
  url: 'https://api.github.com/teams/1',
  html_url: 'https://github.com/orgs/acme/teams/1',
  members_url: 'https://api.github.com/teams/1/members{/member}',
  repositories_url: 'https://api.github.com/teams/1/repos',
  parent: null,
  type: 'organization',
  organization_id: 1,
})

const githubUser = () => {
  const urls = ['url', 'html_url', 'followers_url', 'following_url', 'gists_url', 'starred_url', 'subscriptions_url']
  const more = ['organizations_url', 'repos_url', 'events_url', 'received_events_url', 'avatar_url']
  return {
    login: 'acme-bot',
    id: 1,
    node_id: 'U_1',
    gravatar_id: '',
    type: 'User',
    site_admin: false,
    name: null,
    company: null,
    blog: null,
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: '2020-01-01T00:00:00Z',
    updated_at: '2020-01-01T00:00:00Z',
    ...Object.fromEntries([...urls, ...more].map((name) => [name, 'https://api.github.com/users/acme-bot'])),
  }
}

/** All vendors with their behavior and test values. */
export const cases: readonly Case[] = [
  {
    name: 'hetzner',
    good: { hcloud_token: secretOf.right },
    secret: 'hcloud_token',
    endpoint: 'HCLOUD',
    message: 'The token works: 3 servers in its project.',
    start: startHetzner,
  },
  {
    name: 'digitalocean',
    good: { do_token: secretOf.right },
    secret: 'do_token',
    endpoint: 'DIGITALOCEAN',
    message: 'The token works for Acme: up to 25 droplets.',
    start: () => startProvider(simulatedDigitalOcean({ tokens, now: Date.now }), openApiJudge('digitalocean')),
  },
  {
    name: 'github',
    good: { bot_github_token: secretOf.right, bot_github_org_name: 'acme', bot_github_teams: 'Developers' },
    secret: 'bot_github_token',
    endpoint: 'GITHUB',
    message: 'The token works: logged in as acme-bot, the teams of acme can be read.',
    start: () =>
      startVendor(
        (seen) => {
          const key = bearer(seen)
          if (seen.path.startsWith('/user'))
            return key === secretOf.right || key === secretOf.narrow
              ? { status: 200, body: githubUser() }
              : { status: 401, body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' } }
          return key === secretOf.right
            ? { status: 200, body: [team(1, 'Developers', 'developers'), team(2, 'Site crew', 'site-crew')] }
            : {
                status: 403,
                body: { message: 'Must have admin rights', documentation_url: 'https://docs.github.com/rest' },
              }
        },
        {
          judge: openApiJudge('github'),
          busy: {
            status: 403,
            body: { message: 'API rate limit exceeded', documentation_url: 'https://docs.github.com/rest' },
            headers: { 'x-ratelimit-remaining': '0' },
          },
        },
      ),
  },
  {
    name: 'aws',
    good: { aws_access_key: 'AKIARIGHT', aws_secret_key: secretOf.right },
    secret: 'aws_secret_key',
    endpoint: 'EC2',
    message: 'The key works: 2 regions can be used.',
    start: () =>
      startProvider(
        simulatedEc2({
          now: Date.now,
          keys: [
            { accessKey: 'AKIARIGHT', secretKey: secretOf.right, access: 'full' },
            { accessKey: 'AKIARIGHT', secretKey: secretOf.narrow, access: 'none' },
          ],
        }),
        ec2Judge(),
      ),
  },
  {
    name: 'wpc',
    good: { wpc_api_key: secretOf.right, wpc_client_id: 'acme' },
    secret: 'wpc_api_key',
    endpoint: 'WPCLOUD',
    message: 'The key works: the sites of acme can be read.',
    start: () =>
      startVendor((seen) =>
        seen.path === '/get-sites/acme?limit=1'
          ? byKey(String(seen.headers['auth']), {
              right: { status: 200, body: { message: 'OK', data: [] } },
              narrow: { status: 403, body: { message: 'Forbidden' } },
              unknown: { status: 401, body: { message: 'Unauthorized' } },
            })
          : null,
      ),
  },
  {
    name: 'bucket',
    good: {
      bucket_name: 'backups',
      bucket_region: 'eu-central-1',
      bucket_access_key: 'AKIARIGHT',
      bucket_secret_key: secretOf.right,
    },
    secret: 'bucket_secret_key',
    endpoint: 'S3',
    message: 'The keys work: an object was written to backups, read again, listed and deleted.',
    start: () => startBucket(),
  },
  {
    name: 'slack',
    good: { slack_token: secretOf.right },
    secret: 'slack_token',
    endpoint: 'SLACK',
    message: 'The token works: it belongs to easydash in Acme.',
    start: () =>
      startVendor(
        (seen) =>
          seen.method === 'POST' && seen.path === '/auth.test'
            ? byKey(bearer(seen), {
                right: {
                  status: 200,
                  body: {
                    ok: true,
                    url: 'https://acme.slack.com/',
                    team: 'Acme',
                    user: 'easydash',
                    team_id: 'T1',
                    user_id: 'U1',
                  },
                },
                narrow: { status: 200, body: { ok: false, error: 'missing_scope', needed: 'chat:write' } },
                unknown: { status: 200, body: { ok: false, error: 'invalid_auth' } },
              })
            : null,
        { busy: { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '30' } } },
      ),
  },
]
