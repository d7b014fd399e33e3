/** Behavior of each vendor: accepted keys and responses. Facts come from the descriptions in this folder. */
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import type { SimulatedVendor } from '#server/providers/simulator/faults.ts'
import { simulatedBucket, type BucketRight, type BucketState } from '#server/providers/simulator/simulated-bucket.ts'
import { simulatedDigitalOcean } from '#server/providers/simulator/simulated-digitalocean.ts'
import { simulatedEc2 } from '#server/providers/simulator/simulated-ec2.ts'
import { simulatedGitHub } from '#server/providers/simulator/simulated-github.ts'
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
    start: () => startProvider(simulatedGitHub({ tokens }), openApiJudge('github')),
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
