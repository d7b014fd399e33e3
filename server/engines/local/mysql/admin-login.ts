import { join } from 'node:path'
import type { MysqlPrograms, MysqlServerProgram } from '#server/platform/mysql/find-mysql.ts'
import type { MysqlLogin } from '#server/platform/mysql/mysql-client.ts'
import { registerSecret } from '#server/platform/log/redact-text.ts'
import { startMysqlServer, stopMysqlServer } from '#server/platform/mysql/mysql-server.ts'
import { supervise } from '#server/platform/processes/supervise.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import type { LocalEngineLog } from '../options.ts'
import { prepareMysqlHome } from './mysql-home.ts'

/** An administrator's login at the server of the sites. */
export interface AdminLogin extends MysqlLogin {
  /** The host that the server sees a site's connections come from. */
  readonly from: string
}

/** A server, and how to stop what was started for it. */
export interface OpenServer {
  login(): AdminLogin
  /** The folder that has a folder for each database; undefined: it is on another machine, or not ours to read. */
  readonly dataFolder?: string
  stop(): Promise<void>
}

/** Uses the operator's server, whose address was checked when the settings were read. */
export function operatorsServer(url: string, programs: MysqlPrograms): OpenServer {
  const { hostname, port, username, password } = new URL(url)
  registerSecret(decodeURIComponent(password))
  const login: AdminLogin = {
    programs,
    account: null,
    address: { host: trimEnd(hostname, ']').replace(/^\[/, ''), port: Number(port) || 3306 },
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    // Depends on the network between us: the server may see the address of a proxy.
    from: '%',
  }
  return { login: () => login, stop: () => Promise.resolve() }
}

/** Starts a server of our own and restarts it when it dies. */
export async function ownServer(
  programs: MysqlPrograms,
  program: MysqlServerProgram,
  {
    dataDir,
    log,
    siteConnections,
  }: { readonly dataDir: string; readonly log: LocalEngineLog; readonly siteConnections?: number },
): Promise<OpenServer> {
  const home = await prepareMysqlHome(dataDir, log)
  const start = () =>
    startMysqlServer({ program, ...home, logFile: join(dataDir, 'logs', 'mysql.log'), siteConnections })
  let server = await start()
  const again = async () => {
    server = await start()
    return server
  }
  // The data folder has one dashboard at a time: nobody else uses the server.
  const supervised = supervise({ server, log, again, end: stopMysqlServer, leave: () => Promise.resolve(true) })
  return {
    login: () => ({
      programs,
      account: home.account,
      address: { path: home.socket },
      user: 'root',
      password: server.password,
      from: 'localhost',
    }),
    dataFolder: home.folder.data,
    stop: supervised.stop,
  }
}
