/** Uses the API reference like a new user: copies commands from the page and runs them in a shell. */
import { spawn } from 'node:child_process'

/** Shell commands of the page, per code block. */
export function shellBlocks(page: string): string[] {
  return [...page.matchAll(/<pre class="shell"[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, block = '']) =>
    unescapeHtml(block),
  )
}

/** Unescapes HTML that the server escaped with numeric entities. */
export function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_all, number: string) => String.fromCharCode(Number(number)))
}

/** Result of a shell run. */
export interface ShellRun {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs blocks in one shell, in a separate folder; `typed` is the input for blocks that prompt. */
export function runInShell(blocks: readonly string[], typed: string, folder: string): Promise<ShellRun> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['--norc', '-e', '-u', '-o', 'pipefail', '-c', blocks.join('\n')], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8' },
    })
    let output = ''
    let errors = ''
    shell.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
    shell.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8')
    })
    shell.on('error', reject)
    shell.on('close', (code) => resolve({ code, output, errors }))
    shell.stdin.end(`${typed}\n`)
  })
}
