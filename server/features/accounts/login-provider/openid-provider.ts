import type * as Client from 'openid-client'
import { safeFetch, parseUrl, type FetchOptions } from '#server/platform/network/fetch.ts'
import { checkEmail } from '#shared/rules/formats.ts'
import { msg } from '#shared/localized-message.ts'
import { providerFailure, untrustedAnswer } from './provider-failures.ts'

/** What an organization entered about its provider. */
export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What a provider publishes about itself, as far as it is used. It is kept from the start of a login to its end. */
export type ProviderMetadata = Pick<
  Client.ServerMetadata,
  | 'issuer'
  | 'authorization_endpoint'
  | 'token_endpoint'
  | 'jwks_uri'
  | 'userinfo_endpoint'
  | 'token_endpoint_auth_methods_supported'
  | 'id_token_signing_alg_values_supported'
  | 'authorization_response_iss_parameter_supported'
>

/** What only the server knows of a login that a browser is away for. */
export interface PendingLogin {
  readonly metadata: ProviderMetadata
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** Who logged in at the provider. */
export interface ProviderIdentity {
  readonly issuer: string
  readonly subject: string
  /** Lowercase; null unless the provider says that it verified the address. */
  readonly verifiedEmail: string | null
}

/** How providers are reached: their addresses are typed by organizations. `ca` and `resolve` are for tests. */
export type ProviderNetwork = Pick<FetchOptions, 'allowPrivateCidrs' | 'addressMap' | 'ca' | 'resolve' | 'timeoutMs'>

/** Documents of a provider are a few kilobytes; those of the largest ones have about ten. */
const maxBytes = 128 * 1024
const defaultTimeoutMs = 10_000
/** Longest value of the provider's description that is kept. */
const maxLength = 2000
/** Signatures that a public key of the provider proves. Never `none`, and none that whoever knows the client secret can make. */
const trustedAlgorithms: ReadonlySet<string> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
])

// Loaded on first use: most installations have no provider.
const load = (): Promise<typeof Client> => import('openid-client')

/** Requests of the library go through the guarded client. It sees no other error than a failed request, so ours is kept. */
function guardedFetch(network: ProviderNetwork) {
  const kept: { error: unknown } = { error: null }
  const fetch: Client.CustomFetch = async (url, { method, headers, body }) => {
    try {
      const response = await safeFetch(url, {
        timeoutMs: defaultTimeoutMs,
        ...network,
        profile: 'tenant',
        method: method === 'POST' ? 'POST' : 'GET',
        headers,
        ...(body === undefined || body === null ? {} : { body: String(body) }),
        maxBytes,
      })
      const isEmpty = [204, 205, 304].includes(response.status)
      return new Response(isEmpty ? null : new Uint8Array(response.body), {
        status: response.status,
        headers: { 'content-type': response.headers['content-type'] ?? '' },
      })
    } catch (error) {
      kept.error = error
      throw error
    }
  }
  return { fetch, kept }
}

/** Runs calls of the library, and translates their errors: ours of a request, or what the provider did wrong. */
async function ask<T>(
  network: ProviderNetwork,
  work: (client: typeof Client, fetch: Client.CustomFetch) => Promise<T>,
): Promise<T> {
  const client = await load()
  const { fetch, kept } = guardedFetch(network)
  try {
    return await work(client, fetch)
  } catch (error) {
    throw providerFailure(client, kept.error ?? error)
  }
}

/** Reads what the provider publishes, and checks that a login with it can be trusted. */
export function discoverProvider(network: ProviderNetwork, settings: ProviderSettings): Promise<ProviderMetadata> {
  return ask(network, async (client, fetch) => {
    const found = await client.discovery(
      parseUrl(settings.issuer, { profile: 'tenant' }),
      settings.clientId,
      undefined,
      undefined,
      { [client.customFetch]: fetch, timeout: 60 },
    )
    return usedMetadata(found.serverMetadata(), settings.issuer)
  })
}

function usedMetadata(found: Client.ServerMetadata, issuer: string): ProviderMetadata {
  // The library makes exceptions for issuers of Microsoft that stand for every tenant: everybody could log in.
  if (new URL(found.issuer).href !== new URL(issuer).href)
    throw untrustedAnswer(msg`The provider calls itself ${found.issuer.slice(0, 200)}, not ${issuer}.`)
  const algorithms = (found.id_token_signing_alg_values_supported ?? ['RS256']).filter((one) =>
    trustedAlgorithms.has(one),
  )
  if (algorithms.length === 0)
    throw untrustedAnswer(msg`The provider doesn’t sign its ID tokens with a key that can be checked.`)
  const methods = (found.token_endpoint_auth_methods_supported ?? ['client_secret_basic']).filter((one) =>
    one.startsWith('client_secret_'),
  )
  return {
    issuer: found.issuer,
    authorization_endpoint: endpoint(found.authorization_endpoint),
    token_endpoint: endpoint(found.token_endpoint),
    jwks_uri: endpoint(found.jwks_uri),
    ...(found.userinfo_endpoint === undefined ? {} : { userinfo_endpoint: endpoint(found.userinfo_endpoint) }),
    token_endpoint_auth_methods_supported: methods.slice(0, 10),
    id_token_signing_alg_values_supported: algorithms.slice(0, 20),
    authorization_response_iss_parameter_supported: found.authorization_response_iss_parameter_supported === true,
  }
}

/** An address of the provider; browsers are sent to one of them, so that it must be an ordinary address. */
function endpoint(url: unknown): string {
  if (typeof url !== 'string' || url.length > maxLength || !isHttps(url))
    throw untrustedAnswer(msg`The provider’s description lacks an address, or one of its addresses is not https.`)
  return url
}

function isHttps(url: string): boolean {
  try {
    return parseUrl(url, { profile: 'tenant' }).protocol === 'https:'
  } catch {
    // Not a usable address, which is what was asked.
    return false
  }
}

function configure(
  client: typeof Client,
  fetch: Client.CustomFetch,
  metadata: ProviderMetadata,
  { clientId, clientSecret }: ProviderSettings,
): Client.Configuration {
  const methods = metadata.token_endpoint_auth_methods_supported ?? []
  if (!methods.includes('client_secret_basic') && !methods.includes('client_secret_post'))
    throw untrustedAnswer(msg`The provider accepts no client secret.`)
  const authentication = methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(clientSecret)
    : client.ClientSecretPost(clientSecret)
  const config = new client.Configuration({ ...metadata }, clientId, undefined, authentication)
  config[client.customFetch] = fetch
  config.timeout = 60
  // The signature is checked although the token comes over TLS (OpenID Connect Core 1.0, section 3.1.3.7, allows not to).
  client.enableNonRepudiationChecks(config)
  return config
}

/** The address to send a browser to, and what its return is checked with: state, nonce, and the secret of PKCE. */
export function beginLogin(
  network: ProviderNetwork,
  settings: ProviderSettings,
  metadata: ProviderMetadata,
  redirectUri: string,
): Promise<{ url: string; pending: PendingLogin }> {
  return ask(network, async (client, fetch) => {
    const pending = {
      metadata,
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(configure(client, fetch, metadata, settings), {
      redirect_uri: redirectUri,
      scope: 'openid email',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, pending }
  })
}

/** Exchanges the code that a browser came back with, and returns who the provider says logged in. */
export function finishLogin(
  network: ProviderNetwork,
  settings: ProviderSettings,
  { metadata, state, nonce, codeVerifier }: PendingLogin,
  returned: URL,
): Promise<ProviderIdentity> {
  return ask(network, async (client, fetch) => {
    const config = configure(client, fetch, metadata, settings)
    const tokens = await client.authorizationCodeGrant(config, returned, {
      pkceCodeVerifier: codeVerifier,
      expectedNonce: nonce,
      expectedState: state,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    // The database keeps no NUL, and all surrogates without their other half as the same character.
    if (!claims || !/^[^\0]{1,255}$/.test(claims.sub) || !claims.sub.isWellFormed())
      throw untrustedAnswer(msg`The provider sent no usable identity.`)
    // Providers may leave the address out of the ID token and answer for it separately (Core 1.0, section 5.4).
    const asked =
      claims['email'] === undefined && metadata.userinfo_endpoint !== undefined
        ? await userInfo(client, config, tokens.access_token, claims.sub)
        : claims
    return { issuer: claims.iss, subject: claims.sub, verifiedEmail: verifiedEmail(asked) }
  })
}

async function userInfo(client: typeof Client, config: Client.Configuration, token: string, subject: string) {
  try {
    return await client.fetchUserInfo(config, token, subject)
  } catch (error) {
    if (!(error instanceof client.WWWAuthenticateChallengeError)) throw error
    throw untrustedAnswer(msg`The provider doesn’t tell who logged in.`)
  }
}

/**
 * Some providers send the boolean as a text. The address is checked before it is put into lower case: letters such as the Kelvin
 * sign become ASCII there, and the address that of somebody else.
 */
function verifiedEmail(claims: Readonly<Record<string, unknown>>): string | null {
  const { email, email_verified: verified } = claims
  if (typeof email !== 'string' || (verified !== true && verified !== 'true')) return null
  const address = email.trim()
  return checkEmail(address) === null ? address.toLowerCase() : null
}

/**
 * Whether the provider knows the client and its secret: it is asked to exchange a code that it never issued. One that refuses
 * the code has accepted the client (RFC 6749, section 5.2). Throws for a refused client.
 */
export function checkClient(
  network: ProviderNetwork,
  settings: ProviderSettings,
  metadata: ProviderMetadata,
  redirectUri: string,
): Promise<'accepted' | 'unknown'> {
  return ask(network, async (client, fetch) => {
    const config = configure(client, fetch, metadata, settings)
    const returned = new URL(redirectUri)
    returned.search = new URLSearchParams({ code: 'never-issued', iss: metadata.issuer }).toString()
    try {
      await client.authorizationCodeGrant(config, returned, {
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
      })
    } catch (error) {
      if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return 'accepted'
      // Neither the client nor its secret was refused: some check the code first.
      if (error instanceof client.ResponseBodyError && error.error === 'invalid_request') return 'unknown'
      throw error
    }
    throw untrustedAnswer(msg`The provider accepted a code that it never issued.`)
  })
}
