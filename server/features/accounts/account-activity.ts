import type { MethodContext } from '#server/contracts/method.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'
import type { AccountServices } from './account-services.ts'
import { impersonate } from './sessions/impersonation.ts'

/** The activity entry for what a user did to their own account; it belongs to no organization. */
export function accountActivity(
  action: string,
  user: string,
  values: Pick<ActivityEntry, 'result' | 'before' | 'after'> = {},
): ActivityEntry {
  return { action, actor: user, ...values, reference_doctype: 'User', reference_name: user, reference_title: user }
}

/** Records an account event in a transaction of its own. */
export async function recordAccountEvent(
  services: AccountServices,
  context: MethodContext,
  action: string,
  user: string,
  result: 'Done' | 'Denied',
): Promise<void> {
  await services
    .documents()
    .transaction(impersonate(user, context), (tx) => tx.activity(accountActivity(action, user, { result })))
}
