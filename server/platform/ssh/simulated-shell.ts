import { spawn } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import type { PseudoTtyInfo, ServerChannel, Session, WindowChangeInfo } from 'ssh2'

type Size = Pick<WindowChangeInfo, 'cols' | 'rows'>

/**
 * Lets a session open a shell of this machine in a pseudo-terminal, as this process' user. Like OpenSSH, it ends the shell with the
 * connection.
 */
export function offerShell(session: Session, env: Readonly<Record<string, string>>): void {
  let terminal: PseudoTtyInfo | null = null
  session.once('pty', (accept, _reject, info) => {
    terminal = info
    accept()
  })
  session.once('shell', (accept, reject) => {
    if (terminal === null) reject()
    else run(session, accept(), terminal, env)
  })
}

function run(session: Session, channel: ServerChannel, size: Size, env: Readonly<Record<string, string>>): void {
  const line = `${sttyLine(size)}; exec /bin/sh -i`
  const child = spawn('script', ['--quiet', '--return', '--echo', 'always', '--command', line, '/dev/null'], {
    ...{ detached: true, cwd: env['HOME'] ?? '/', stdio: 'pipe' },
    env: { ...env, TERM: 'xterm-256color', PS1: 'root@simulated:~# ' },
  })
  for (const stream of [channel, child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)
  channel.pipe(child.stdin)
  child.stdout.pipe(channel, { end: false })
  session.on('window-change', (accept, _reject, info) => {
    accept?.()
    const device = terminalOf(child.pid)
    if (device !== null) spawn('/bin/sh', ['-c', `${sttyLine(info)} -F ${device}`], { stdio: 'ignore' })
  })
  child.once('error', () => {
    channel.stderr.write('script is not installed\n')
    channel.exit(127)
    channel.end()
  })
  child.once('close', (code) => {
    channel.exit(code ?? 129)
    channel.end()
  })
  channel.once('close', () => {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    // The end of the pseudo-terminal hangs up the shell and what it runs.
    child.kill('SIGKILL')
  })
}

const sttyLine = ({ cols, rows }: Size): string => `stty cols ${Number(cols)} rows ${Number(rows)}`

/** The pseudo-terminal that `script` made for its child; null before it has one. */
function terminalOf(script: number | undefined): string | null {
  try {
    const [child = ''] = readFileSync(`/proc/${script}/task/${script}/children`, 'utf8').split(' ')
    const device = readlinkSync(`/proc/${child}/fd/0`)
    return /^\/dev\/pts\/\d+$/.test(device) ? device : null
  } catch {
    // It ended, or has not begun.
    return null
  }
}
