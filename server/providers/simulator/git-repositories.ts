/** What the simulated GitHub keeps: repositories with branches and commits, named as Git names them. */
import { createHash } from 'node:crypto'

export interface SimulatedCommit {
  readonly sha: string
  readonly tree: string
  readonly parent: string | null
  readonly author: string
  readonly message: string
  /** By path. */
  readonly files: ReadonlyMap<string, SimulatedFile>
}

/** `mode`: 120000 is a link, whose content is its target; 160000 a submodule. */
export interface SimulatedFile {
  readonly sha: string
  readonly mode: '100644' | '120000' | '160000'
  readonly content: Buffer
}

/** What a push changes, by path; null: it is removed. */
export type PushedFiles = Readonly<Record<string, string | Pick<SimulatedFile, 'mode' | 'content'> | null>>

export interface Push {
  readonly repository: string
  readonly branch: string
  readonly files: PushedFiles
  readonly author?: string
  readonly message?: string
}

export class Repository {
  readonly branches = new Map<string, string>()
  readonly commits = new Map<string, SimulatedCommit>()

  headOf(branch: string): SimulatedCommit | undefined {
    return this.commits.get(this.branches.get(branch) ?? '')
  }

  /** A commit of its id, or the head of `heads/BRANCH`. */
  find(ref: string): SimulatedCommit | undefined {
    return ref.startsWith('heads/') ? this.headOf(ref.slice('heads/'.length)) : this.commits.get(ref)
  }

  push({ branch, files, author = 'Ann', message = 'A change' }: Push): SimulatedCommit {
    const before = this.headOf(branch)
    const after = new Map(before?.files)
    for (const [path, given] of Object.entries(files)) {
      if (given === null) after.delete(path)
      else after.set(path, fileOf(typeof given === 'string' ? { mode: '100644', content: Buffer.from(given) } : given))
    }
    const tree = hashOf('tree', [...after].map(([path, { mode, sha }]) => `${mode} ${path} ${sha}`).join('\n'))
    const number = this.commits.size
    const sha = hashOf('commit', `${tree} ${before?.sha ?? ''} ${number} ${branch} ${author} ${message}`)
    const commit = { sha, tree, parent: before?.sha ?? null, author, message, files: after }
    this.commits.set(sha, commit)
    this.branches.set(branch, sha)
    return commit
  }
}

function fileOf({ mode, content }: Pick<SimulatedFile, 'mode' | 'content'>): SimulatedFile {
  return { mode, content, sha: hashOf('blob', content) }
}

/** The name of an object: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects. */
function hashOf(type: string, content: string | Buffer): string {
  const bytes = Buffer.from(content)
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
}
