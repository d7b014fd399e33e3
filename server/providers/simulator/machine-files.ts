import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname, join } from 'node:path'
import { quote } from '#server/platform/ssh/quote.ts'

/** Programs that a fresh machine has. */
const programs = [
  ...['apt-get', 'ufw', 'systemctl', 'timedatectl', 'fallocate', 'mkswap', 'swapon', 'swapoff', 'hostname', 'uname'],
  ...[
    'id',
    'df',
    'iptables',
    'ip6tables',
    'fail2ban-client',
    'apt-config',
    'ss',
    'sudo',
    'ssh-keygen',
    'curl',
    'crontab',
    'python3',
  ],
]

/** What a simulated machine is. */
export interface MachineSpec {
  readonly hostname: string
  readonly vcpu: number
  readonly ramBytes: number
  readonly diskBytes: number
  /** Lines of authorized_keys. */
  readonly keys: readonly string[]
  /** Host keys in the format of OpenSSH: that of its start, and the one its `ssh-keygen` makes. */
  readonly hostKey: string
  readonly nextHostKey: { readonly private: string; readonly public: string }
}

/**
 * Starts a program of `easyengine/`, which its name names, by the Node of this process. With compiled code it takes a quarter of the
 * time, so it shares the cache of this process; without one, a machine has its own.
 */
function startProgram(root: string): string {
  const shared = getCompileCacheDir()
  const cache = shared === undefined ? join(root, 'var/cache/node') : dirname(shared)
  const program = join(import.meta.dirname, 'easyengine/run-program.ts')
  const node = `${quote(process.execPath)} --disable-warning=ExperimentalWarning`
  return `#!/bin/sh\nNODE_COMPILE_CACHE=${quote(cache)} exec ${node} ${quote(program)} "\${EASYDASH_PROGRAM:-\${0##*/}}" "$@"\n`
}

/** Makes the programs of EasyEngine exist on a machine, as on one where somebody installed it before. */
export async function addEasyEngine(root: string): Promise<void> {
  for (const program of ['ee', 'docker', 'docker-compose', 'sqlite3', 'rclone']) {
    await rm(join(root, 'bin', program), { force: true })
    await symlink('easyengine-programs', join(root, 'bin', program))
  }
  await rm(join(root, 'bin/git'), { force: true })
  await symlink('machine-tools.sh', join(root, 'bin/git'))
}

/** Environment in which commands run on the machine whose `/` is a folder: with its programs before those of this machine. */
export const machineEnvironment = (root: string) => ({
  EASYDASH_ROOT: root,
  EASYDASH_STATE: join(root, 'var/lib/easydash'),
  HOME: join(root, 'root'),
  TMPDIR: join(root, 'tmp'),
  PATH: `${join(root, 'bin')}:/usr/bin:/bin`,
})

/** Makes the folder that stands for `/` of a fresh Ubuntu machine; its programs are `machine-tools.sh`. */
export async function makeMachine(root: string, spec: MachineSpec): Promise<void> {
  const folders = [
    ...['bin', 'etc/ssh', 'etc/apt/apt.conf.d', 'etc/fail2ban/jail.d', 'etc/ufw', 'root/.ssh', 'var/lib', 'tmp'],
    ...['proc/net', 'proc/sys/kernel/random'],
  ]
  for (const folder of folders) await mkdir(join(root, folder), { recursive: true })
  await copyFile(join(import.meta.dirname, 'machine-tools.sh'), join(root, 'bin/machine-tools.sh'))
  for (const program of programs) await symlink('machine-tools.sh', join(root, 'bin', program))
  await writeFile(join(root, 'bin/easyengine-programs'), startProgram(root), { mode: 0o755 })
  await symlink('easyengine-programs', join(root, 'bin/openssl'))
  const kib = (bytes: number) => Math.round(bytes / 1024)
  const processor = (at: number) => `processor\t: ${at}\nmodel name\t: AMD EPYC-Rome Processor\n`
  const files: Readonly<Record<string, string>> = {
    'etc/os-release': 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n',
    'etc/hostname': `${spec.hostname}\n`,
    'etc/timezone': 'Etc/UTC\n',
    'etc/fstab': '',
    'etc/disk': `${kib(spec.diskBytes)} 2200000 ${kib(spec.diskBytes) - 2_200_000} 5%`,
    'etc/ssh/ssh_host_ed25519_key': spec.hostKey,
    'etc/ssh/next': spec.nextHostKey.private,
    'etc/ssh/next.pub': `${spec.nextHostKey.public}\n`,
    ...Object.fromEntries(
      ['before', 'before6', 'after', 'after6'].map((name) => [`etc/ufw/${name}.rules`, '*filter\nCOMMIT\n']),
    ),
    'proc/sys/kernel/random/boot_id': 'the first\n',
    'proc/cpuinfo': Array.from({ length: spec.vcpu }, (_, at) => processor(at)).join('\n'),
    'proc/meminfo': `MemTotal:  ${kib(spec.ramBytes)} kB\nSwapTotal:  0 kB\n`,
    'proc/mounts': '/dev/sda1 / ext4 rw 0 0\n',
    'proc/net/route': 'Iface\tDestination\tGateway\neth0\t00000000\t0100000A\n',
    'proc/swaps': 'Filename\tType\tSize\tUsed\tPriority\n',
    'proc/uptime': '42.00 40.00\n',
    'root/.ssh/authorized_keys': spec.keys.map((key) => `${key}\n`).join(''),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content)
}
