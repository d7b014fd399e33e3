import type { Feature } from '#server/contracts/feature.ts'
import type { Method } from '#server/contracts/method.ts'
import type { MachineTokens } from '#server/contracts/machine-tokens.ts'
import type { SessionStore } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { accountName, impersonate } from './sessions/impersonation.ts'
import { insertAccount } from './sign-up/create-account.ts'
import { createCredentials } from './passwords/credentials.ts'
import { apiTokenControllers, apiTokenMethods } from './sessions/api-tokens.ts'
import type { AccountsDeps } from './deps.ts'
import { geoMethod, geoRoute } from './sign-in/geo.ts'
import { mailLoginAddressMethod } from './login-provider/mail-login-address.ts'
import { ownLinkMethods } from './login-provider/own-links.ts'
import { providerMethods } from './login-provider/provider-methods.ts'
import { hasLoginProviders, loginProviderController } from './login-provider/provider-settings.ts'
import { loginMethods } from './sign-in/login.ts'
import { dropTokens, issueToken } from './sign-up/one-time-tokens.ts'
import { colleagueLinksController } from './passwords/colleague-links.ts'
import { passwordMethods } from './passwords/passwords.ts'
import type { AccountServices } from './account-services.ts'
import { createSecondFactors } from './sign-in/second-factor.ts'
import { sessionMethods } from './sessions/session-methods.ts'
import { signInStatuses, type SignInStatus } from './sign-in/sign-in-status.ts'
import { createMachineTokens } from './sessions/machine-tokens.ts'
import { createSessions } from './sessions/sessions.ts'
import { accountsExist, signUpMethod } from './sign-up/sign-up.ts'
import { sshKeyController } from './ssh-keys/ssh-key-controller.ts'
import { accountTables } from './tables.ts'
import { twoFactorMethods } from './sign-in/two-factor.ts'
import { membershipControllers, userController, userMetaController } from './user-controller.ts'
import { confirmInvited, type Vouched } from './sign-up/confirm-invited.ts'
import { pendingEmail, verificationMethods } from './sign-up/verification.ts'

/** An account created by our own commands or the demo, not through sign-up. */
export interface NewAccount {
  email: string
  first_name: string
  last_name?: string
  password: string
  /** Default true. */
  verified?: boolean
  /** Default false. */
  platformAdmin?: boolean
}

/** What the accounts feature provides to the composition root. */
export interface Accounts extends Feature {
  readonly methods: readonly Method[]
  readonly sessions: SessionStore
  /** For raw routes that servers and webhooks call. */
  readonly machineTokens: MachineTokens
  /** Listens to session messages from other processes. */
  prepare(): Promise<void>
  /** Returns a new one-time link for creating the first account (older links stop working), or null if an account exists. */
  setupLink(): Promise<string | null>
  hasAccounts(): Promise<boolean>
  /** Whether any organization has a login provider; not which. */
  hasLoginProviders(): Promise<boolean>
  /** An account created by our own commands or the demo, not through sign-up. */
  createAccount(account: NewAccount): Promise<void>
  /** The address a pending verification link was sent to, if it differs from the account's own; else null. */
  pendingEmail(user: string): Promise<string | null>
  /** Verifies an invited person's account on the word of a colleague (`sign-up/confirm-invited.ts`). */
  confirmInvited(tx: Tx, user: string, vouched: Vouched): Promise<string | null>
  /** How these users sign in and when they last did, for callers who are allowed to know. */
  signInStatuses(db: Db, users: readonly string[]): Promise<SignInStatus[]>
}

/** Creates the accounts feature: sign-up, sign-in, sessions and passwords. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const sessions = createSessions(deps)
  const services: AccountServices = {
    ...deps,
    sessions,
    credentials: createCredentials(deps.database.db, deps.hashing),
    secondFactors: createSecondFactors(deps.secrets, deps.now),
  }
  const hasAccounts = accountsExist(deps.documents)

  return {
    controllers: [
      userController(sessions),
      userMetaController(sessions),
      ...membershipControllers(sessions),
      loginProviderController(services),
      colleagueLinksController(services),
      sshKeyController,
      ...apiTokenControllers(sessions),
    ],
    methods: [
      ...loginMethods(services),
      signUpMethod(services, hasAccounts),
      ...verificationMethods(services),
      ...passwordMethods(services),
      ...apiTokenMethods(services),
      ...sessionMethods(services),
      ...twoFactorMethods(services),
      ...providerMethods(services),
      ...ownLinkMethods(services),
      mailLoginAddressMethod(services),
      geoMethod(services),
    ],
    routes: [geoRoute(services)],
    sessions,
    machineTokens: createMachineTokens(deps.database.db),
    tables: accountTables,
    prepare: sessions.start,
    hasAccounts,
    hasLoginProviders: () => hasLoginProviders(deps.documents),
    pendingEmail: (user) => pendingEmail(services, user),
    confirmInvited: (tx, user, vouched) => confirmInvited(services, tx, user, vouched),
    signInStatuses,

    async setupLink() {
      if (await hasAccounts()) return null
      const token = await deps.database.db.transaction().execute(async (trx) => {
        await dropTokens(trx, 'setup', null)
        return issueToken(trx, 'setup', null)
      })
      return `${deps.config.url}/web/signup?setup=${token}`
    },

    async createAccount(wanted) {
      const email = accountName(wanted.email)
      const about = [wanted.first_name, wanted.last_name ?? '', email, deps.config.productName]
      const passwordHash = await services.credentials.hash(wanted.password, about, 'password')
      await deps.documents().transaction(impersonate(email, { ip: null, via: 'terminal' }), (tx) =>
        insertAccount(services, tx, {
          email,
          passwordHash,
          first_name: wanted.first_name,
          last_name: wanted.last_name ?? null,
          accept_newsletter: 0,
          org_sku: null,
          verified: wanted.verified ?? true,
          platformAdmin: wanted.platformAdmin ?? false,
        }),
      )
    },
  }
}
