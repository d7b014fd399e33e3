import { parseArgs } from 'node:util'
import { createInterface } from 'node:readline/promises'
import { doctor } from './doctor.ts'
import { rotateKeys } from './keys.ts'
import { main as serve } from '#server/main.ts'
import { loadOwnConfig, type Config } from '#server/platform/config/config.ts'
import { createLog, silentLog } from '#server/platform/log/log.ts'
import { forTerminal, StartupError, startupErrorText } from '#server/platform/processes/startup-error.ts'
import { silentStep } from '#server/platform/steps.ts'
import { openStorage } from '#server/storage.ts'
import { openServices, type Services } from '#server/services.ts'
import { migrate } from '#server/tables.ts'
import { auditUsage, auditVerify } from './audit.ts'
import { billingSync, billingSyncUsage } from './billing.ts'
import { backupUsage, extractBackup, listBackups, verifyBackups } from './backups/backup-commands.ts'
import { verifyProof, verifyProofUsage } from './backups/verify-proof.ts'
import {
  exportCommand,
  exportUsage,
  importCheckCommand,
  importCommand,
  importUsage,
  isImportCheck,
} from './transfer.ts'

interface Command {
  usage: string
  about: string
  run(args: string[]): Promise<void>
}

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** Opens settings, log and database for a command, and closes them afterward. */
async function withStorage<T>(
  run: (storage: Awaited<ReturnType<typeof openStorage>>, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadOwnConfig()
  const log = createLog({ terminal: 'readable', print: (text) => void process.stderr.write(text) })
  const storage = await openStorage({ config, log, step: silentStep })
  try {
    return await run(storage, config)
  } finally {
    await storage.close()
  }
}

/** The same with the features, which do nothing by themselves. */
function withServices<T>(run: (services: Services, config: Config) => Promise<T>): Promise<T> {
  return withStorage(async ({ database }, config) => {
    await migrate(database)
    const services = await openServices({ config, database, log: silentLog, engines: {}, print, concurrency: 0 })
    try {
      return await run(services, config)
    } finally {
      await services.close()
    }
  })
}

const commands: Record<string, Command> = {
  serve: {
    usage: 'serve',
    about: 'Run the dashboard: HTTP, sockets, jobs, built-in database and local engine in this process.',
    run: (args) => serve(args),
  },
  worker: {
    usage: 'worker',
    about: 'Run jobs only, on the database of DATABASE_URL; any number of them can run.',
    run: (args) => serve(['--worker', ...args]),
  },
  migrate: {
    usage: 'migrate',
    about: 'Bring the database to what this release needs. "serve" does it by itself at start.',
    run: () =>
      withStorage(async ({ database }) => {
        await migrate(database)
        print('The database is up to date.')
      }),
  },
  doctor: {
    usage: 'doctor',
    about:
      'Check what the product needs: data folder, database, mail, WordPress, clock, versions. Then list every setting with its value and source; secrets are masked.',
    run: (args) => doctor(print, args),
  },
  'user create': {
    usage: 'user create EMAIL --first-name NAME [--last-name NAME] [--admin]',
    about: 'Create a verified account. The password is read from the terminal or from standard input.',
    run: createUser,
  },
  'keys rotate': {
    usage: 'keys rotate',
    about:
      'Add a key to the ring, encrypt every data key with it again, then drop the old keys. Works while the product runs. If it is interrupted, run it again to continue.',
    run: () => withStorage(({ database }, config) => rotateKeys(database, config, print)),
  },
  export: {
    usage: exportUsage,
    about:
      'Write the whole installation into one encrypted archive: database, uploads, local sites. Works while the product runs. The secret keys are not in it; import needs them. --without leaves out the files of a local site that cannot be read (its name, or its id); then the archive is made, and the exit code is 2.',
    run: (args) => mayBeIncomplete(withStorage(({ database }, config) => exportCommand(args, config, database, print))),
  },
  import: {
    usage: importUsage,
    about:
      'Put an archive of "export" into an empty installation: all of it, or nothing. The key file (or EASYDASH_SECRET_KEYS) of the installation it comes from must be in place. With --check it is only read, and nothing is written; that works beside a running installation. The exit code is 2 when files of sites were left out of it.',
    run: (args) =>
      mayBeIncomplete(
        isImportCheck(args)
          ? importCheckCommand(args, loadOwnConfig(), print)
          : withStorage(({ database }, config) => importCommand(args, config, database, print)),
      ),
  },
  'backup list': {
    usage: backupUsage.list,
    about:
      'Say what backups are in a folder, and whether the recovery key opens them. Needs no database. The exit code is 2 if one cannot be read.',
    run: (args) => mayBeIncomplete(listBackups(args, print)),
  },
  'backup verify': {
    usage: backupUsage.verify,
    about:
      'Compare all content of backups with its checksums, and name what is damaged. Needs no database. The exit code is 2 if something is.',
    run: (args) => mayBeIncomplete(verifyBackups(args, print)),
  },
  'backup extract': {
    usage: backupUsage.extract,
    about: 'Decrypt a backup and unpack it into a new folder: all of it, or nothing. Needs no database.',
    run: (args) => extractBackup(args, print),
  },
  'backup verify-proof': {
    usage: verifyProofUsage,
    about:
      'Check the signature of a proof document, and print what it says. Needs no database. The exit code is 2 if no key was named to compare with.',
    run: (args) => mayBeIncomplete(verifyProof(args, print)),
  },
  'billing sync': {
    usage: billingSyncUsage,
    about:
      'Compare the prices of the plans with those at Stripe, and say what is missing there. With --apply, make it. Works while the product runs.',
    run: (args) => withServices(({ documents }, config) => billingSync(args, config, documents, print)),
  },
  'audit verify': {
    usage: auditUsage,
    about:
      'Recompute the hashes of the activity log, compare them with those recorded in the data folder (audit/heads.log), and name the first entry that does not fit. --heads also compares them with a copy of that file, or with an email that holds some of its lines.',
    run: (args) =>
      withStorage(async ({ database }, config) => {
        if (!(await auditVerify(args, config, database, print))) process.exitCode = 1
      }),
  },
}

/** Partial success: exit code 2, so that a nightly script does not see a 0, although the command did not fail. */
async function mayBeIncomplete(work: Promise<boolean>): Promise<void> {
  if (!(await work)) process.exitCode = 2
}

async function createUser(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'first-name': { type: 'string' },
      'last-name': { type: 'string' },
      admin: { type: 'boolean', default: false },
    },
  })
  const [email] = positionals
  if (!email || !values['first-name'])
    throw new StartupError(
      'An email address and --first-name are needed.',
      `Usage: npm run easydash -- ${commands['user create']?.usage}`,
    )
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const password = await terminal.question('Password: ')
  terminal.close()
  const firstName = values['first-name']
  await withServices(async ({ accounts }) => {
    await accounts.createAccount({
      email,
      password,
      first_name: firstName,
      platformAdmin: values.admin,
      ...(values['last-name'] === undefined ? {} : { last_name: values['last-name'] }),
    })
    print(`Created ${email}.`)
  })
}

/** Runs a command of `npm run easydash -- COMMAND`. If it fails, prints one sentence and exits with code 1. */
export async function main(args: string[]): Promise<void> {
  // A reader such as `head` may close the pipe early: the command finishes its work without further output.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((one) => Object.hasOwn(commands, one))
  const command = name === undefined ? null : commands[name]
  const wantsHelp = args.includes('--help') || args.includes('-h')
  if (!command) {
    print('Usage: npm run easydash -- COMMAND\n')
    for (const { usage, about } of Object.values(commands)) print(`  ${usage}\n      ${about}`)
    if (args.length > 0 && !wantsHelp) process.exitCode = 1
    return
  }
  if (wantsHelp) {
    print(`Usage: npm run easydash -- ${command.usage}\n\n${command.about}`)
    return
  }
  try {
    await command.run(args.slice((name as string).split(' ').length))
  } catch (error) {
    const text =
      error instanceof StartupError
        ? startupErrorText(error)
        : forTerminal(error instanceof Error ? error.message : String(error))
    process.stderr.write(`${text}\n`)
    process.exitCode = 1
  }
}
