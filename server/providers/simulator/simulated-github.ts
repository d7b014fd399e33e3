import { createHmac, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { writeZip } from '#server/platform/files/zip-writer.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { tokenOf, type Access } from './account.ts'
import type { Fault, SimulatedVendor } from './faults.ts'
import { Repository, type Push, type SimulatedCommit } from './git-repositories.ts'
import { team, user } from './github-people.ts'
import type { ReceivedRequest, SimulatedResponse } from './simulated-vendor.ts'

export interface GitHubOptions {
  /** `none`: an account that sees no repository and no team. */
  readonly tokens: Readonly<Record<string, Access>>
  readonly webhookSecret?: string
  /** What a push that names no files changes, by the number of the commit. */
  readonly nextFiles?: (number: number) => Push['files']
}

/** GitHub as far as Easydash uses it (https://docs.github.com/en/rest). */
export interface SimulatedGitHub extends SimulatedVendor {
  /** Where pushes are told of; null: nowhere. */
  webhook: string | null
  /** Replaces the archives that are sent; null: they are right. */
  archive: ((commit: SimulatedCommit) => Buffer) | null
  /** Makes a commit, and tells of it. Returns it with the status of the answer; 0: there was none. */
  push(push: Push): Promise<{ readonly commit: SimulatedCommit; readonly delivered: number | null }>
  contents(): object
}

const documentation_url = 'https://docs.github.com/rest'
const refusal = (status: number, message: string): SimulatedResponse => ({
  status,
  body: { message, documentation_url },
})
const found = (body: unknown): SimulatedResponse => ({ status: 200, body })
const notFound = refusal(404, 'Not Found')

export function simulatedGitHub(options: GitHubOptions): SimulatedGitHub {
  const repositories = new Map<string, Repository>()
  const deliveries: { event: string; repository: string; status: number }[] = []
  const github: SimulatedGitHub = {
    webhook: null,
    archive: null,
    async respond(request) {
      const url = new URL(request.path, `http://${String(request.headers['host'])}`)
      const parts = url.pathname.split('/').slice(1).map(decodeURIComponent)
      if (parts[0] === '_simulator' && request.method === 'POST') return simulatePush(request)
      if (parts[0] === '_archives') return sendArchive(parts)
      const access = options.tokens[tokenOf(request)]
      if (access === undefined) return refusal(401, 'Bad credentials')
      if (parts[0] === 'user') return found(user())
      if (parts[0] === 'orgs' && parts[2] === 'teams')
        return access === 'none'
          ? refusal(403, 'Must have admin rights')
          : found([team(1, 'Developers', 'developers'), team(2, 'Site crew', 'site-crew')])
      return parts[0] === 'repos' && access !== 'none' ? ofRepository(url, parts.slice(1)) : notFound
    },
    errorOf: ({ kind, retryAfterSeconds }: Fault) =>
      kind === 'rate_limit'
        ? {
            ...refusal(403, 'API rate limit exceeded'),
            headers: { 'x-ratelimit-remaining': '0', 'retry-after': String(retryAfterSeconds ?? 1) },
          }
        : refusal(500, 'Server Error'),

    async push(push) {
      const repository = repositories.get(push.repository) ?? new Repository()
      repositories.set(push.repository, repository)
      const commit = repository.push(push)
      if (github.webhook === null) return { commit, delivered: null }
      const delivered = await deliver(github.webhook, options.webhookSecret ?? '', push, commit)
      deliveries.push({ event: 'push', repository: push.repository, status: delivered })
      return { commit, delivered }
    },
    contents: () => ({
      repositories: [...repositories].map(([name, { branches, commits }]) => ({
        name,
        branches: Object.fromEntries(branches),
        commits: [...commits.values()].map(({ sha, author, message, files }) => ({
          ...{ sha, author, message },
          files: [...files.keys()],
        })),
      })),
      deliveries,
    }),
  }
  return github

  async function simulatePush({ body }: ReceivedRequest): Promise<SimulatedResponse> {
    const asked = parseJson(body)
    if (!isObject(asked) || typeof asked['repository'] !== 'string' || typeof asked['branch'] !== 'string')
      return refusal(422, 'Name a repository and a branch.')
    const { repository, branch } = asked
    const number = (repositories.get(repository)?.commits.size ?? 0) + 1
    const files = (asked['files'] as Push['files'] | undefined) ?? options.nextFiles?.(number) ?? {}
    const { commit, delivered } = await github.push({ repository, branch, files, message: `Release ${number}` })
    return found({ commit: commit.sha, delivered })
  }

  async function ofRepository(url: URL, [owner, name, ...rest]: string[]): Promise<SimulatedResponse> {
    const [what, ...path] = rest
    const fullName = [...repositories.keys()].find((one) => one.toLowerCase() === `${owner}/${name}`.toLowerCase())
    const repository = repositories.get(fullName ?? '')
    if (repository === undefined) return notFound
    if (what === undefined) return found({ full_name: fullName, private: true, default_branch: 'main' })
    if (what === 'commits') {
      const commit = repository.find(path.join('/'))
      return commit ? found(commitBody(commit)) : refusal(422, `No commit found for SHA: ${path.join('/')}`)
    }
    if (what === 'zipball') {
      const location = `${url.origin}/_archives/${fullName}/${path.join('/')}`
      return { status: 302, body: null, headers: { location } }
    }
    const commit = [...repository.commits.values()].find(({ tree }) => tree === path[1])
    return what === 'git' && path[0] === 'trees' && commit ? found(treeBody(commit)) : notFound
  }

  async function sendArchive([, owner, name, sha]: string[]): Promise<SimulatedResponse> {
    const commit = repositories.get(`${owner}/${name}`)?.find(sha ?? '')
    if (!commit) return notFound
    const content = github.archive ? github.archive(commit) : await archiveOf(commit, `${owner}-${name}-${sha}`)
    return { status: 200, body: content, type: 'application/zip' }
  }
}

/** Tells of a push. Returns the status of the answer; 0: there was none. */
async function deliver(
  address: string,
  secret: string,
  { repository, branch }: Push,
  { sha, parent }: SimulatedCommit,
): Promise<number> {
  const body = JSON.stringify({
    ...{ ref: `refs/heads/${branch}`, before: parent ?? '0'.repeat(40), after: sha, deleted: false },
    repository: { full_name: repository },
  })
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const sent = { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(10_000) } as const
  return fetch(address, sent).then(
    ({ status }) => status,
    // A receiver that is down is no failure of the push.
    () => 0,
  )
}

function commitBody({ sha, tree, author, message, parent }: SimulatedCommit): object {
  const person = { name: author, email: 'ann@acme.example', date: '2026-11-30T12:00:00Z' }
  return {
    sha,
    commit: { author: person, committer: person, message, tree: { sha: tree } },
    parents: parent === null ? [] : [{ sha: parent }],
  }
}

function treeBody({ tree, files }: SimulatedCommit): object {
  const folders = new Set<string>()
  for (const path of files.keys())
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at))
  return {
    sha: tree,
    truncated: false,
    tree: [
      ...[...folders].map((path) => ({ path, mode: '040000', type: 'tree', sha: tree })),
      ...[...files].map(([path, { mode, sha, content }]) =>
        mode === '160000'
          ? { path, mode, type: 'commit', sha }
          : { path, mode, type: 'blob', sha, size: content.length },
      ),
    ],
  }
}

/** Everything in one folder, as GitHub has it. */
function archiveOf({ files }: SimulatedCommit, folder: string): Promise<Buffer> {
  const modified = new Date('2026-11-30T12:00:00Z')
  const contents = [...files].map(([path, { content }]) => ({
    name: Buffer.from(`${folder}/${path}`),
    ...{ mode: 0o100644, modified, content: [content] },
  }))
  return buffer(writeZip(contents))
}

/** What the repository of the demo has with a release: a plugin that WordPress always loads, and shows which one it is. */
export const demoSiteFiles = (release: number): Push['files'] => ({
  'README.md': '# The site of Acme Studio\n',
  'mu-plugins/acme-release.php': `<?php
/* Plugin Name: Acme release */
add_action( 'wp_footer', function () {
	echo '<p class="acme-release">Release ${release}</p>';
} );
`,
})
