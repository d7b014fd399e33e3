import * as z from 'zod/mini'
import type { FetchResponse } from '#server/platform/network/fetch.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { deploymentLimits, isBranch, isCommit, isRepository } from '#shared/rules/repositories.ts'
import { kindOfStatus, ProviderError, retryAfterOf, vendorText } from '../provider-error.ts'
import { readOne, tokenHeaders, wordsOf, type VendorApi, type VendorTransport } from '../vendor-api.ts'

/** A commit of a repository. */
export interface GitHubCommit {
  readonly sha: string
  /** Its tree, which names all of its files. */
  readonly tree: string
  /** Name of who wrote it; '' if there is none. */
  readonly author: string
  /** The first line of its message. */
  readonly message: string
}

/** What a tree has at a path. `other`: a link, or a submodule. */
export interface GitHubFile {
  readonly path: string
  readonly kind: 'file' | 'other'
  /** Of its content. */
  readonly sha: string
  /** Bytes. */
  readonly size: number
}

/** Repositories at GitHub that an account sees. `repository` is `owner/name`. Methods throw AppError. */
export interface GitHub {
  /** The repository as GitHub writes it, also if it was renamed. */
  nameOf(repository: string, signal?: AbortSignal): Promise<string>
  /** The head of a branch, or the commit of this id. */
  commit(
    repository: string,
    ref: { readonly branch: string } | { readonly sha: string },
    signal?: AbortSignal,
  ): Promise<GitHubCommit>
  /** Everything of a commit but folders. Throws `too_large` if GitHub does not list all of it. */
  files(repository: string, commit: Pick<GitHubCommit, 'tree'>, signal?: AbortSignal): Promise<readonly GitHubFile[]>
  /** A ZIP archive of a commit, with everything in one folder. It is as GitHub sent it: nothing in it is checked. */
  archive(repository: string, commit: Pick<GitHubCommit, 'sha'>, signal?: AbortSignal): Promise<Buffer>
}

const publicEndpoint = 'https://api.github.com'
/** Where GitHub has the archives of repositories. */
const publicArchives = 'https://codeload.github.com'
/** A list of the most files with long paths. */
const treeBytes = 24 * 1_048_576
const archiveMs = 300_000

const sha = z.string().check(z.regex(/^[0-9a-f]{40}$/))
const repositoryAnswer = z.object({ full_name: z.string().check(z.refine(isRepository)) })
const commitAnswer = z.object({
  sha,
  commit: z.object({
    message: z.string(),
    author: z.nullable(z.object({ name: z.optional(z.nullable(z.string())) })),
    tree: z.object({ sha }),
  }),
})
const treeAnswer = z.object({
  truncated: z.boolean(),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha,
      size: z.optional(z.number().check(z.nonnegative())),
    }),
  ),
})

/** Opens GitHub for a token (https://docs.github.com/en/rest). */
export function gitHub(
  { token }: { readonly token: string },
  endpoint: string | null,
  transport: VendorTransport,
): GitHub {
  const headers = tokenHeaders(token)
  const api: VendorApi = {
    transport,
    vendor: 'GitHub',
    endpoint: endpoint ?? publicEndpoint,
    secrets: [token],
    headers: async (request) => ({
      ...(await headers(request)),
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    }),
    failureOf: (response) => failureOf(response, token, transport.now()),
  }
  return {
    async nameOf(repository, signal) {
      const missing = msg`GitHub has no repository ${repository}, or the token does not see it.`
      const request = { path: pathOf(repository), signal }
      return (await orMissing(readOne(api, request, repositoryAnswer), missing)).full_name
    },

    async commit(repository, ref, signal) {
      const path = `${pathOf(repository)}/commits/${'sha' in ref ? commitOf(ref.sha) : branchOf(ref.branch)}`
      const missing =
        'sha' in ref
          ? msg`GitHub has no commit ${ref.sha.slice(0, 7)} in ${repository}, or the token does not see the repository.`
          : msg`GitHub has no branch ${ref.branch} in ${repository}, or the token does not see the repository.`
      // Without this, the changes of up to 300 files come with it.
      const query = { per_page: '1' }
      const answer = await orMissing(readOne(api, { path, query, signal }, commitAnswer), missing)
      const { message, author, tree } = answer.commit
      const [line] = message.split('\n')
      return { sha: answer.sha, tree: tree.sha, author: vendorText(author?.name), message: vendorText(line) }
    },

    async files(repository, { tree }, signal) {
      const path = `${pathOf(repository)}/git/trees/${commitOf(tree)}`
      const request = { path, query: { recursive: '1' }, maxBytes: treeBytes, signal }
      const answer = await readOne(api, request, treeAnswer)
      if (answer.truncated)
        throw new AppError('too_large', msg`${repository} has more files than GitHub lists at once.`, {
          nextAction: msg`Deploy a repository with at most ${deploymentLimits.files} files.`,
        })
      return answer.tree
        .filter(({ type }) => type !== 'tree')
        .map(({ path: at, mode, type, sha: of, size = 0 }) => ({
          ...{ path: at, sha: of, size },
          kind: type === 'blob' && (mode === '100644' || mode === '100755') ? ('file' as const) : ('other' as const),
        }))
    },

    archive: (repository, commit, signal) =>
      readArchive(api, `${pathOf(repository)}/zipball/${commitOf(commit.sha)}`, signal),
  }
}

/** GitHub answers with a redirect to the archive, which needs no token and must not get it. Only one to GitHub itself is followed. */
async function readArchive(api: VendorApi, path: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const { transport, endpoint, failureOf: failure } = api
  const options = { maxBytes: deploymentLimits.archive, timeoutMs: archiveMs, ...(signal && { signal }) }
  const url = new URL(`${endpoint}${path}`)
  const first = await transport.ask(url, {
    ...options,
    headers: await api.headers({ method: 'GET', url, body: '' }),
  })
  if (first.status !== 302) throw failure(first)
  const target = URL.parse(first.headers['location'] ?? '')
  const archives = endpoint === publicEndpoint ? publicArchives : url.origin
  if (target?.origin !== archives)
    throw new ProviderError('unexpected', {
      vendor: 'GitHub',
      status: first.status,
      cause: new Error(`The archive is said to be at ${vendorText(target?.host)}.`),
    })
  const archive = await transport.ask(target, options)
  if (archive.status !== 200) throw failure(archive)
  return archive.body
}

/** GitHub tells with 403, too, that there were too many requests. */
function failureOf({ status, headers, body }: FetchResponse, token: string, now: number): ProviderError {
  const parsed = parseJson(body.toString('utf8'))
  const isLimited = status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined)
  const kind = isLimited ? 'rate_limited' : kindOfStatus(status)
  return new ProviderError(kind, {
    vendor: 'GitHub',
    status,
    words: wordsOf([token], isObject(parsed) ? parsed['message'] : ''),
    retryable: kind === 'rate_limited' || kind === 'unavailable',
    retryAfterSeconds: kind === 'rate_limited' ? retryAfterOf(headers, now) : undefined,
    cause: new Error(`HTTP ${status}`),
  })
}

/** What GitHub does not show to a token is missing, as is what does not exist, and a commit of a wrong id is invalid. */
async function orMissing<T>(read: Promise<T>, message: LocalizedMessage): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (!(error instanceof ProviderError) || !['not_found', 'invalid', 'conflict'].includes(error.kind)) throw error
    throw new AppError('invalid', message, {
      nextAction: msg`Check the names, and that the account of the token can read the repository.`,
      cause: error,
    })
  }
}

// What gets into an address is of a known form, whoever said it.
function pathOf(repository: string): string {
  if (!isRepository(repository)) throw new Error('This is no repository.')
  return `/repos/${repository}`
}

function commitOf(id: string): string {
  if (!isCommit(id)) throw new Error('This is no commit.')
  return id
}

function branchOf(branch: string): string {
  if (!isBranch(branch)) throw new Error('This is no branch.')
  return `heads/${branch.split('/').map(encodeURIComponent).join('/')}`
}
