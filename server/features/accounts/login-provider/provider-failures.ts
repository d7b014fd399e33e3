import type * as Client from 'openid-client'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** An answer that nobody may be logged in with. `field`: of the settings, if it is about one. */
export function untrustedAnswer(
  message: LocalizedMessage,
  { field, cause }: { field?: 'issuer' | 'client_secret'; cause?: unknown } = {},
): AppError {
  return new AppError('invalid', message, { excType: 'ValidationError', cause, ...(field && { field }) })
}

/** Why an ID token or a description can't be trusted, by the library's code. */
const untrusted: Readonly<Record<string, LocalizedMessage>> = {
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: msg`The provider’s description is that of another issuer.`,
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: msg`The provider’s answer belongs to another login, client or issuer.`,
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: msg`The provider’s answer has expired or is not valid yet. Its clock and that of this server must agree.`,
  OAUTH_KEY_SELECTION_FAILED: msg`The provider’s answer is signed with a key that it doesn’t publish.`,
}

const description = msg`The provider’s answer is not what OpenID Connect describes, so it can’t be trusted.`

/** What the log says of an error of the library: without what it carries, which can be tokens and claims. */
function summaryOf(error: Error): Error {
  const inner = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return new Error(`${error.name} ${String(Reflect.get(error, 'code') ?? '')} ${error.message}${inner}`.slice(0, 500))
}

/** What to tell people of a failed exchange with the provider. Its own texts are never repeated. */
export function providerFailure(client: typeof Client, error: unknown): unknown {
  if (error instanceof AppError) return ofRequest(error)
  if (error instanceof client.AuthorizationResponseError) return ofRedirect(error)
  // The token endpoint answers so to a client that it doesn't know (RFC 6749, section 5.2).
  if (error instanceof client.WWWAuthenticateChallengeError) return clientRefused(error)
  if (error instanceof client.ResponseBodyError) return ofTokens(error)
  const code = error instanceof Error ? String(Reflect.get(error, 'code')) : ''
  if (error instanceof client.ClientError || code.startsWith('OAUTH_'))
    return untrustedAnswer(untrusted[code] ?? description, { cause: summaryOf(error as Error) })
  return error
}

/** A request that failed. `untrustedAnswer` passes as it is. */
function ofRequest(error: AppError): AppError {
  if (error.code === 'too_large') return untrustedAnswer(msg`The provider’s answer is far too long.`, { cause: error })
  if (error.code !== 'unavailable') return error
  return new AppError('unavailable', msg`The login provider did not answer.`, {
    retryable: true,
    field: 'issuer',
    cause: error,
  })
}

function ofRedirect(error: Client.AuthorizationResponseError): AppError {
  if (error.error !== 'access_denied' && !error.error.endsWith('_required'))
    return untrustedAnswer(msg`The provider refused the login.`, { cause: summaryOf(error) })
  return new AppError('forbidden', msg`The provider did not let you in.`, {
    excType: 'PermissionError',
    nextAction: msg`Start again, and allow this dashboard there. Otherwise ask who manages your accounts there.`,
    cause: summaryOf(error),
  })
}

function ofTokens(error: Client.ResponseBodyError): AppError {
  if (error.error === 'invalid_client' || error.error === 'unauthorized_client') return clientRefused(error)
  if (error.error !== 'invalid_grant')
    return untrustedAnswer(msg`The provider refused the login.`, { cause: summaryOf(error) })
  return new AppError('gone', msg`This login was used already, or has expired.`, {
    nextAction: msg`Start again.`,
    cause: summaryOf(error),
  })
}

function clientRefused(error: Error): AppError {
  return untrustedAnswer(msg`The provider doesn’t accept the client ID or the client secret.`, {
    field: 'client_secret',
    cause: summaryOf(error),
  })
}

/** Runs a member's part of a login, whose failures end in the way that is left. */
export async function forMember<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.nextAction !== undefined) throw error
    const nextAction =
      error.code === 'unavailable'
        ? msg`Try again in a moment, or log in with your password.`
        : msg`Log in with your password, and tell an admin of your organization.`
    const { code, localized, excType, retryable } = error
    throw new AppError(code, localized, { nextAction, retryable, cause: error, ...(excType && { excType }) })
  }
}
