/** The readable reference as a stranger uses it: commands are taken from the page and run by a shell. */
import { spawn } from 'node:child_process'

/** Commands of the page, block by block, as they would be copied. */
export function shellBlocks(page: string): string[] {
  return [...page.matchAll(/<pre class="shell"[^>]*><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, block = '']) =>
    unescapeHtml(block),
  )
}

/** Text of HTML as the server escapes it: by numbers. */
export function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_all, number: string) => String.fromCharCode(Number(number)))
}

/** What a shell printed. */
export interface ShellRun {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs blocks in one shell, in a folder of its own; `typed` is what the person types where a block waits. */
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
