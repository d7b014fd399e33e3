import * as z from 'zod/mini'
import { nullIfMissing, type VendorApi } from '../vendor-api.ts'
import { ask, idOf } from './wpcloud-api.ts'

/** Who reaches the files of a site by SSH (https://wp.cloud/docs/, "User SSH and SFTP access"). */
export interface WpCloudAccess {
  sshUsers(site: string, signal?: AbortSignal): Promise<readonly string[]>
  /** A user without a password. Names are unique across WP Cloud: throws ProviderError if it is taken. */
  addSshUser(
    site: string,
    user: { readonly name: string; readonly publicKey: string },
    signal?: AbortSignal,
  ): Promise<void>
  /** Ends the user's sessions, too. */
  removeSshUser(site: string, name: string, signal?: AbortSignal): Promise<void>
  /** `ssh`: with a shell; `sftp`: files only, WP Cloud's default. Cannot be read. */
  setSshAccess(site: string, type: 'ssh' | 'sftp', signal?: AbortSignal): Promise<void>
}

export function wpCloudAccess(api: VendorApi, client: string): WpCloudAccess {
  const users = (site: string, action: string) => `/ssh-user/${client}/${idOf(site)}/${action}`
  return {
    sshUsers: (site, signal) =>
      ask(api, { path: users(site, 'list'), signal }, z.array(z.string().check(z.maxLength(100)))),
    async addSshUser(site, { name, publicKey }, signal) {
      const form = { user: name, pkey: publicKey, pass: '' }
      await ask(api, { method: 'POST', path: users(site, 'add'), form, signal }, z.unknown())
    },
    async removeSshUser(site, name, signal) {
      const path = users(site, `remove/${encodeURIComponent(name)}`)
      await nullIfMissing(ask(api, { method: 'POST', path, signal }, z.unknown()))
    },
    async setSshAccess(site, type, signal) {
      await ask(api, { path: `/site-set-access-type/${client}/${idOf(site)}/${type}`, signal }, z.unknown())
    },
  }
}
