import { msg } from '#shared/localized-message.ts'
import { EngineError } from './engine.ts'

/** Why a person can't sign in as another user of a site, from what `easydash_refusal` in `local/php/sign-in.php` says. */
export function loginRefusal(refused: unknown): EngineError {
  if (refused === 'missing') {
    return new EngineError('not_found', msg`This user does not exist on the site any more.`, {
      nextAction: msg`Refresh the list.`,
    })
  }
  if (refused === 'personal') {
    return new EngineError('conflict', msg`This user belongs to another person, who alone signs in as it.`, {
      nextAction: msg`Choose another user.`,
    })
  }
  return new EngineError('conflict', msg`This user may do more in WordPress than you.`, {
    nextAction: msg`Choose another user, or ask somebody who manages the site.`,
  })
}
