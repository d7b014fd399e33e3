import type * as Client from 'openid-client'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** An answer that nobody may be logged in with. */
export function untrustedAnswer(message: LocalizedMessage, cause?: unknown): AppError {
  return new AppError('unavailable', message, {
    nextAction: msg`Log in with your password, and tell an admin of your organization.`,
    cause,
  })
}

/** Why an ID token or a description can't be trusted, by the library's code. */
const untrusted: Readonly<Record<string, LocalizedMessage>> = {
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: msg`The provider’s description is that of another issuer.`,
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: msg`The provider’s answer belongs to another login, client or issuer.`,
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: msg`The provider’s answer has expired or is not valid yet. Its clock and that of this server must agree.`,
  OAUTH_KEY_SELECTION_FAILED: msg`The provider’s answer is signed with a key that it doesn’t publish.`,
}

const description = msg`The provider’s answer is not what OpenID Connect describes, so it can’t be trusted.`

/** What to tell people of a failed exchange with the provider. Its own texts are never repeated. */
export function providerFailure(client: typeof Client, error: unknown): unknown {
  if (error instanceof AppError) return ofRequest(error)
  if (error instanceof client.AuthorizationResponseError) return ofRedirect(error)
  if (error instanceof client.ResponseBodyError) return ofTokens(error)
  if (error instanceof client.WWWAuthenticateChallengeError) return untrustedAnswer(description, error)
  const code = error instanceof Error ? String(Reflect.get(error, 'code')) : ''
  if (error instanceof client.ClientError || code.startsWith('OAUTH_'))
    return untrustedAnswer(untrusted[code] ?? description, error)
  return error
}

/** A request that failed; which address it went to is not said to who logs in. `untrustedAnswer` passes as it is. */
function ofRequest(error: AppError): AppError {
  if (error.code === 'too_large') return untrustedAnswer(msg`The provider’s answer is far too long.`, error)
  if (error.code !== 'unavailable' || !error.retryable) return error
  return new AppError('unavailable', msg`The login provider did not answer.`, {
    retryable: true,
    nextAction: msg`Try again in a moment, or log in with your password.`,
    cause: error,
  })
}

function ofRedirect(error: Client.AuthorizationResponseError): AppError {
  if (error.error === 'access_denied' || error.error.endsWith('_required'))
    return new AppError('forbidden', msg`The provider did not let you in.`, {
      nextAction: msg`Start again, and allow this dashboard there. Otherwise ask who manages your accounts there.`,
      cause: error,
    })
  return untrustedAnswer(msg`The provider refused the login.`, error)
}

function ofTokens(error: Client.ResponseBodyError): AppError {
  if (error.error === 'invalid_client' || error.error === 'unauthorized_client')
    return untrustedAnswer(msg`The provider doesn’t accept the client ID or the client secret.`, error)
  if (error.error === 'invalid_grant')
    return new AppError('gone', msg`This login was used already, or has expired.`, {
      nextAction: msg`Start again.`,
      cause: error,
    })
  return untrustedAnswer(msg`The provider refused the login.`, error)
}
